"""Which one feature of a question's text gives away what a model answers, and how that is put into words."""
