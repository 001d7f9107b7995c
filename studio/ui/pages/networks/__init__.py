"""Networks: the gallery of what there is, and the designer to draw one's own."""
