"""Writing random documents: problems with the instances they allow, random propositions, and names."""
