"""Language models, asked through any OpenAI-compatible endpoint."""
