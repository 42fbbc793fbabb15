//! The codes of all problems. A code is never given to another problem, even after it is retired.

/// What kind of mistake a problem is. The text form (`LC102`) is stable; scripts may rely on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// LC001: a file could not be read.
    Unreadable,
    /// LC002: a file is larger, deeper or has more nodes than allowed.
    TooLarge,
    /// LC003: a file is not YAML.
    Syntax,
    /// LC004: one mapping has the same key twice.
    DuplicateKey,
    /// LC005: an environment variable that the file needs is not set.
    UnsetVariable,
    /// LC101: a key that nothing reads.
    UnknownKey,
    /// LC102: a value of another type than expected.
    WrongType,
    /// LC103: a number outside its range, or not a number.
    OutOfRange,
    /// LC104: a word that is not one of the allowed ones.
    UnknownWord,
    /// LC105: a required key is missing.
    MissingKey,
    /// LC106: two things that exclude each other, or one thing said twice.
    Conflict,
    /// LC107: a list or mapping that must not be empty is empty.
    Empty,
    /// LC201: `extends` names a profile that does not exist.
    UnknownProfile,
    /// LC202: `extends` leads back to where it started.
    InheritanceCycle,
    /// LC203: a file that the profile names does not exist.
    MissingFile,
    /// LC204: an override names a key that is not a setting.
    BadOverride,
    /// LC205: a name of a dimension, stage, field, type or rule that is not defined.
    UnknownName,
    /// LC206: a policy that could go on for ever.
    NoLimit,
    /// LC207: weights that don't add up to 1.
    Weights,
    /// LC301: a regular expression that does not compile, or is too large.
    BadPattern,
    /// LC302: a path that is not a JSON Pointer, JSONPath or field name.
    BadPath,
    /// LC303: a script that does not compile, or lacks the function that is called.
    BadScript,
    /// LC304: a JSON Schema that is not one.
    BadSchema,
    /// LC305: a template that does not compile, or uses an unknown variable.
    BadTemplate,
    /// LC306: a rule that can't do anything.
    InertRule,
    /// LC401: a plugin that can't be found, trusted or loaded.
    Plugin,
}

impl Code {
    /// The stable text form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Unreadable => "LC001",
            Code::TooLarge => "LC002",
            Code::Syntax => "LC003",
            Code::DuplicateKey => "LC004",
            Code::UnsetVariable => "LC005",
            Code::UnknownKey => "LC101",
            Code::WrongType => "LC102",
            Code::OutOfRange => "LC103",
            Code::UnknownWord => "LC104",
            Code::MissingKey => "LC105",
            Code::Conflict => "LC106",
            Code::Empty => "LC107",
            Code::UnknownProfile => "LC201",
            Code::InheritanceCycle => "LC202",
            Code::MissingFile => "LC203",
            Code::BadOverride => "LC204",
            Code::UnknownName => "LC205",
            Code::NoLimit => "LC206",
            Code::Weights => "LC207",
            Code::BadPattern => "LC301",
            Code::BadPath => "LC302",
            Code::BadScript => "LC303",
            Code::BadSchema => "LC304",
            Code::BadTemplate => "LC305",
            Code::InertRule => "LC306",
            Code::Plugin => "LC401",
        }
    }
}
