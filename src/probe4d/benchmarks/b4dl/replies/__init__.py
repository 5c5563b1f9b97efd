"""What of replies to B4DL is read and taken, and what is wrong with the rest."""
