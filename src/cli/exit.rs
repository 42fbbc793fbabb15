//! The exit status.

use crate::provider::ProviderError;
use std::process::ExitCode;

/// The outcome of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Every document passed.
    Success,
    /// Something broke.
    Broken,
    /// Wrong usage or an invalid profile.
    Usage,
    /// Finished, but not every document passed.
    NotPassed,
    /// Stopped by Ctrl-C, SIGTERM or SIGHUP.
    Interrupted,
}

impl Exit {
    pub(super) fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Broken => 1,
            Exit::Usage => 2,
            Exit::NotPassed => 3,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// The reason that a verb could not do its work: one line, what to do, and the exit status.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) exit: Exit,
}

impl Failure {
    pub(super) fn broken(message: impl Into<String>) -> Self {
        Failure { message: message.into(), help: None, exit: Exit::Broken }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), help: None, exit: Exit::Usage }
    }

    /// A failure whose problems have been shown already.
    pub(super) fn shown(exit: Exit) -> Self {
        Failure { message: String::new(), help: None, exit }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output can't be written to. Its reader may have had enough (`| head`), which is not a failure but ends
    /// the work.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Failure::shown(Exit::Broken)
        } else {
            Failure::broken(format!("can't write to standard output: {error}"))
        }
    }
}

impl From<crate::profiles::TrialError> for Failure {
    /// Another policy than the run's is wrong usage; a journal that can't be read is broken.
    fn from(error: crate::profiles::TrialError) -> Self {
        use crate::profiles::TrialError;
        let exit = match &error {
            TrialError::Store(_) | TrialError::UnknownEvent { .. } => Exit::Broken,
            TrialError::Changed { .. } | TrialError::OtherCandidates { .. } => Exit::Usage,
        };
        Failure { message: error.to_string(), help: Some(error.help().to_owned()), exit }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        crate::run::OpenError::from(error).into()
    }
}

impl From<crate::run::OpenError> for Failure {
    /// A provider that was named or configured wrongly is wrong usage; one that is not as it should be is broken.
    fn from(error: crate::run::OpenError) -> Self {
        let exit = if error.is_wrong_usage() { Exit::Usage } else { Exit::Broken };
        Failure { message: error.to_string(), help: Some(error.help()), exit }
    }
}

impl From<crate::store::StoreError> for Failure {
    fn from(error: crate::store::StoreError) -> Self {
        let help = error.help();
        Failure::broken(error.to_string()).help(help)
    }
}
