"""Who can be asked."""
