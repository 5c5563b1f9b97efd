"""From answers to figures: what the answers depend on."""
