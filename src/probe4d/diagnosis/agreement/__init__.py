"""How well those who score free answers, judges and text metrics, agree with people."""
