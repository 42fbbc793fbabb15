//! `loopctl man`: manual pages of the whole command and of each verb.

use crate::failure::{ExitStatus, Failure};
use crate::streams::Streams;
use crate::value::ShownPath;
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    /// Write a page for each verb to this folder, such as ~/.local/share/man/man1; without it, the main page goes to
    /// standard output
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let mut command = super::command().disable_help_subcommand(true);
    command.build();
    match &arguments.folder {
        None => {
            output.out.write_all(&page(&Man::new(command))?)?;
            output.out.flush()?;
        }
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| denied(folder, &error))?;
            write(command, folder)?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Writes the page of a command and of all verbs below it.
fn write(command: Command, folder: &Path) -> Result<(), Failure> {
    for verb in command.get_subcommands() {
        write(verb.clone(), folder)?;
    }
    let man = Man::new(command);
    let path = folder.join(man.get_filename());
    std::fs::write(&path, page(&man)?).map_err(|error| denied(&path, &error))
}

fn page(man: &Man) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}

fn denied(path: &Path, error: &std::io::Error) -> Failure {
    Failure::broken(format!("can't write `{}`: {error}", path.shown()))
        .help("name a folder that you may write to")
}
