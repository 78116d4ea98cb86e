//! Files of other programs; one binary.

mod hostile;
mod meaning;
mod references;
mod translate;
