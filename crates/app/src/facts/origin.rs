//! The origins of settings.

use super::secrets::without_passwords;
use crate::profile::{DEFAULTS_NAME, has_variable};
use crate::value::yaml::{Data, Node};
use serde::Serialize;

/// The origin of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// A file, a flag such as `--config`, a variable such as `LOOPCTL_MAX_ITERATIONS`, or `default`.
    pub file: String,
    /// Line in it, from 1.
    pub line: usize,
    /// Column in it, from 1, in characters.
    pub column: usize,
    /// The text with `${VARIABLE}` that was filled in, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// `true` if it was given by a flag or a variable, or is a default: then line and column mean little.
    #[serde(skip)]
    placeless: bool,
}

impl Origin {
    /// The origin of the value at a node.
    pub fn of(node: &Node) -> Self {
        let place = node.span.location();
        let source = node.span.file();
        let default = source.name() == DEFAULTS_NAME;
        let file = if default { "default" } else { display_name(source.name()) };
        let written = node.span.text();
        let filled_in = !source.is_argument() && !matches!(node.data, Data::List(_) | Data::Map(_));
        Origin {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
            written: (filled_in && has_variable(written) && !written.contains('\n'))
                .then(|| without_passwords(written)),
            placeless: default || source.is_argument(),
        }
    }

    /// The location, with its column: `profiles/clinical.yaml:7:12`, `default`, `--config`.
    #[must_use]
    pub fn place(&self) -> String {
        if self.placeless {
            self.file.clone()
        } else {
            format!("{}:{}:{}", self.file, self.line, self.column)
        }
    }

    /// As a comment has it: `profiles/clinical.yaml:7`, `default`, `--config`.
    #[must_use]
    pub fn text(&self) -> String {
        let place = if self.placeless { self.file.clone() } else { format!("{}:{}", self.file, self.line) };
        match &self.written {
            Some(written) => format!("{place}, {written}"),
            None => place,
        }
    }
}

/// A file as people know it: a shipped one goes by its name, and the working directory is omitted.
pub fn display_name(name: &str) -> &str {
    let name = name.strip_prefix("<embedded>/").unwrap_or(name);
    name.strip_prefix("./").unwrap_or(name)
}
