"""Answers that are labels: yes or no, the letter of an option, or a word of a vocabulary."""
