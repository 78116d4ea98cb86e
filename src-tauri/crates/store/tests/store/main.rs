//! Placeholder until the modules stand.
