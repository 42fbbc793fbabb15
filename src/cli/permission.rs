//! The flags that permit what a recorded run names.

use crate::resumption::Permissions;
use clap::Args;
use std::path::PathBuf;

/// Permissions besides those that the flags of a run give when they are repeated.
#[derive(Args, Debug, Clone, Default)]
pub(super) struct PermissionArguments {
    /// Allow documents to go to this server, which the run's record or its profile names (repeatable)
    #[arg(long = "allow-host", value_name = "HOST[:PORT]")]
    hosts: Vec<String>,
    /// Allow this provider plugin, which is not part of the installation, to be loaded (repeatable)
    #[arg(long = "allow-plugin", value_name = "PLUGIN")]
    plugins: Vec<String>,
    /// Allow this file or folder, and all in it, to be read and written, which the run's record names and which lies
    /// outside of the working directory (repeatable)
    #[arg(long = "allow-path", value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl PermissionArguments {
    /// The permissions, with absolute paths.
    pub(super) fn permissions(&self) -> Permissions {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Permissions {
            hosts: self.hosts.clone(),
            plugins: self.plugins.clone(),
            paths: self.paths.iter().map(absolute).collect(),
        }
    }
}
