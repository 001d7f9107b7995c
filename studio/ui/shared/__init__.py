"""Parts of several pages that need the context of the window: cards, the trash.

Never imports a page.
"""
