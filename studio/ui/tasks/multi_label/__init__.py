"""How the window shows several labels per image."""
