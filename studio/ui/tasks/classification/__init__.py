"""How the window shows one class per image."""
