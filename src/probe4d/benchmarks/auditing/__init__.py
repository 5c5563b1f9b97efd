"""What the audits of all suites share: reading raw tables, comparing values, checking a record; no build uses it."""
