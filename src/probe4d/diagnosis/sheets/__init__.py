"""Questions of one kind of answer and everybody's answers to them, as arrays: what figures are made from."""
