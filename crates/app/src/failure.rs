//! The outcome of a verb: an exit status, or the reason that it could not do its work.

use crate::profiles::TrialError;
use crate::provider::ProviderError;
use crate::run::OpenError;
use crate::store::StoreError;
use std::process::ExitCode;

/// The outcome of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
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

impl ExitStatus {
    /// The status of work that is done, by whether everything passed.
    pub fn passed(is_passed: bool) -> Self {
        if is_passed { ExitStatus::Success } else { ExitStatus::NotPassed }
    }

    /// The status of work of which a part could not be done unless it is whole.
    pub fn whole(is_whole: bool) -> Self {
        if is_whole { ExitStatus::Success } else { ExitStatus::Broken }
    }

    /// The number for the system.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Success => 0,
            ExitStatus::Broken => 1,
            ExitStatus::Usage => 2,
            ExitStatus::NotPassed => 3,
            ExitStatus::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(exit: ExitStatus) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// The reason that a verb could not do its work: one line, what to do, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// The reason, on one line; empty if it was shown already.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
    /// The exit status of a process that fails so.
    pub exit: ExitStatus,
}

impl Failure {
    /// A failure of the work.
    pub fn broken(message: impl Into<String>) -> Self {
        Failure { message: message.into(), help: None, exit: ExitStatus::Broken }
    }

    /// A failure of the request.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), help: None, exit: ExitStatus::Usage }
    }

    /// A failure whose problems have been shown already.
    pub fn shown(exit: ExitStatus) -> Self {
        Failure { message: String::new(), help: None, exit }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output can't be written to. Its reader may have had enough (`| head`), which is not a failure but ends
    /// the work.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Failure::shown(ExitStatus::Broken)
        } else {
            Failure::broken(format!("can't write to standard output: {error}"))
        }
    }
}

impl From<TrialError> for Failure {
    /// Another policy than the run's is wrong usage; a journal that can't be read is broken.
    fn from(error: crate::profiles::TrialError) -> Self {
        let exit = match &error {
            TrialError::Store(_) | TrialError::UnknownEvent { .. } => ExitStatus::Broken,
            TrialError::Changed { .. } | TrialError::OtherCandidates { .. } => ExitStatus::Usage,
        };
        Failure { message: error.to_string(), help: Some(error.help().to_owned()), exit }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        OpenError::from(error).into()
    }
}

impl From<OpenError> for Failure {
    /// A provider that was named or configured wrongly is wrong usage; one that is not as it should be is broken.
    fn from(error: OpenError) -> Self {
        let exit = if error.is_wrong_usage() { ExitStatus::Usage } else { ExitStatus::Broken };
        Failure { message: error.to_string(), help: Some(error.help()), exit }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let help = error.help();
        Failure::broken(error.to_string()).help(help)
    }
}
