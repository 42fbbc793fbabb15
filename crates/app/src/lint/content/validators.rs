//! Validators that run programs, which must be allowed explicitly.

use super::project::Project;
use crate::diag::{Code, Problem, Problems};
use crate::profile::Asked;

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    for validator in &project.subject.loaded.profile.validators {
        let Asked::Command { command, .. } = &validator.asked else { continue };
        let id = &validator.id;
        problems.push(
            Problem::note(
                Code::CommandsNeeded,
                &id.span,
                format!(
                    "the validator `{}` runs `{}`, and is skipped without your permission",
                    id.value,
                    command.first().map_or("", String::as_str)
                ),
            )
            .help("say `--allow-commands` when you run it; read first what it runs"),
        );
    }
}
