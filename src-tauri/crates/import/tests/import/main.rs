//! Files of other programs; one binary.

mod asl;
mod curl;
mod hostile;
mod meaning;
mod n8n;
mod references;
mod translate;
