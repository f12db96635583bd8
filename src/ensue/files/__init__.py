"""Files that nobody else may read or exchange: opening, writing and checking them."""
