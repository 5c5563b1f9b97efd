"""How pairs of B4DL are asked for: prompts, the stages of asking, what they would come to and what is short."""
