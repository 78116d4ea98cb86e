//! `test`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Test files, and folders that are searched for them; default: this folder.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Also write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Show which steps and connected ports the tests reach.
    #[arg(long)]
    pub(crate) coverage: bool,
}
