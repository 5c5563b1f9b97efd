"""Other people's formats: released data and recorded answers."""
