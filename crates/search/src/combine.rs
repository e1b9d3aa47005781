//! What is built around a search: sequences, repetition, stages, closure.
