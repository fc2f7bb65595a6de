"""Training data from questions: supervised fine-tuning and reinforcement learning."""
