"""Who can be asked: hosted and local models, and the loop that loses no reply."""
