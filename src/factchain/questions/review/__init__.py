"""Human review: questions to Label Studio, and what reviewers said back."""
