//! `loopctl profile show`.

use super::loading::context;
use super::profile::NamedProfileArguments;
use super::result_format::result_format;
use crate::diag::Problems;
use crate::explain::settings::Shown;
use crate::failure::{ExitStatus, Failure};
use crate::profile::check_settings;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
use serde_json::json;

#[derive(Args)]
#[command(
    after_help = "The YAML is complete: saved to a file, it is the same profile, with the same digest, and extends nothing.\n\nValues that could be secrets are written as `***`: what a plugin is given under a name such as `api_key`, and passwords in URLs. What an environment variable puts into settings of a plugin is shown as it was written, `${NAME}`.\n\nA profile with mistakes is shown as far as it can be read; the mistakes are named on standard error, and the exit status is 2."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    named: NamedProfileArguments,
    /// Show after each value where it was set: a file and line, a flag, a variable, or `default`. With `--format json`
    /// a list of settings: `path`, `value`, `origin` (`file`, `line`, `column`)
    #[arg(long)]
    origins: bool,
    /// Format of the settings; `text` is YAML, as in profiles
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profile = arguments.named.over.on(&arguments.named.profile);
    let mut problems = Problems::new();
    let settings = profile.settings(context(), &mut problems);
    // Whatever an incomplete chain lacks or refers to may be the missing parent's: then only the settings are shown.
    let complete = settings.clone().filter(|settings| settings.complete);
    let loaded = complete.and_then(|settings| check_settings(settings, &mut problems));
    if let Some(settings) = settings {
        let shown = Shown::of(&settings.merged);
        match arguments.format {
            ResultFormat::Text => {
                if arguments.origins {
                    let chain: Vec<String> = settings.chain.iter().map(|name| sanitize_line(name)).collect();
                    writeln!(output.out, "# {}, then the defaults", chain.join(", then "))?;
                    if let Some(loaded) = &loaded {
                        writeln!(output.out, "# digest {}", loaded.profile.digest)?;
                    }
                }
                output.out.write_all(shown.yaml(arguments.origins).as_bytes())?;
            }
            format if arguments.origins => output.write_json(&json!(shown.settings()), format)?,
            format => output.write_json(shown.json(), format)?,
        }
        if shown.hidden() > 0 {
            let values =
                if shown.hidden() == 1 { "1 value is" } else { &format!("{} values are", shown.hidden()) };
            output.say(&format!("{values} not shown (`***`), because they could be secrets"));
        }
    }
    output.show(&problems);
    Ok(if problems.has_errors() { ExitStatus::Usage } else { ExitStatus::Success })
}
