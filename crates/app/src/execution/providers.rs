//! The providers that a process may ask, with the prices of their models.

use crate::context::{Context, PRICES};
use crate::provider::Providers;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line};

/// Every provider plugin that this process may use, with a warning if a folder to search does not exist.
pub fn providers_or_warn(context: &Context, output: &mut Streams) -> Providers {
    for folder in context.plugin_paths().missing() {
        let word = output.err_paint.warn("warning:");
        let folder = sanitize_line(&folder.shown());
        output.say(&format!("{word} there is no folder `{folder}`, which `LOOPCTL_PLUGIN_PATH` names"));
    }
    context.providers()
}

/// Reports that the working directory has prices of its own: the folder may come from someone else.
pub(super) fn say_whose_prices_hold(context: &Context, output: &mut Streams) {
    let Ok(folder) = std::env::current_dir() else { return };
    if context.home().as_deref() != Some(&folder) && folder.join(PRICES).is_file() {
        let (word, file) = (output.err_paint.warn("note:"), folder.join(PRICES));
        let file = sanitize_line(&path_text(&file));
        output.say(&format!("{word} what calls cost is counted by `{file}`, where it has a price"));
    }
}
