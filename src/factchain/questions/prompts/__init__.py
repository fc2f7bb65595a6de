"""What is said to a language model: this project's own words, each prompt with a version."""
