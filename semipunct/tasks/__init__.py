"""What a user asks of punctuation, and how well it was answered; gets trees handed in."""
