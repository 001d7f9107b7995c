"""What several pages are made of and what needs the context of the window: cards, the trash.

Never imports a page.
"""
