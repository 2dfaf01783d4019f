"""Examples of two or three graphs: pairs, triplets, how they are sampled, and known distances."""
