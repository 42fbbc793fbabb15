//! Cassettes: exchanges with providers, kept in files and played again; and the cache, which is kept the same way.
//!
//! | file | its one job |
//! | --- | --- |
//! | `recording_key` | which requests are the same |
//! | `exchange` | the parts of a call that are kept: the answer, how long it took, how it failed |
//! | `body` | texts of requests and answers as readable JSON, where they are JSON |
//! | `cassette` | the files of a key: their format, reading, writing |
//! | `player` | picks the exchange that answers a request when a run is replayed |
//! | `take` | one call: asked and kept, played, or answered from the cache |
//! | `error` | the errors of a folder of cassettes |
//!
//! Requests are kept as digests, answers whole: **an answer of a model quotes the document**. Keys of providers are in
//! neither, because the host fills them in after a request has passed here, and takes them out of answers before.

mod body;
mod cassette;
mod error;
mod exchange;
mod player;
mod recording_key;
mod take;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use error::TapeError;
pub(super) use take::{CacheEntry, RecordedCall, RecordedOutcome};

use super::error::CallError;
use cassette::{Address, Cassette, Folder};
use exchange::Exchange;
use player::{ExchangePosition, Player};
use recording_key::RecordingKey;
use take::RecordedQuestion;

/// The way in which a recorder treats calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecorderMode {
    /// Makes them and keeps the outcome of each.
    Record,
    /// Makes none and plays what was kept.
    Replay,
    /// Makes those that have not been answered before.
    Cache,
}

/// The parts of requests that a recording keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Requests {
    /// Digests and sizes alone.
    #[default]
    Digests,
    /// Their bodies, which hold the document's text.
    Bodies,
}

/// A folder of cassettes and what is done with it. Clones share it.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<RecorderShared>,
}

struct RecorderShared {
    folder: Folder,
    reel: RecorderState,
    problems: Mutex<Vec<String>>,
}

/// The state that each mode needs.
enum RecorderState {
    Record {
        requests: Requests,
        /// The number of exchanges of each key that were begun. Those that were given up have no file.
        begun: Mutex<HashMap<RecordingKey, usize>>,
    },
    Replay(Mutex<Player>),
    Cache,
}

/// The way to treat a request.
enum Lookup {
    /// Make the call, and hand the exchange in under this number.
    Ask(usize),
    /// Here is the answer.
    Play(Box<Exchange>),
}

impl Recorder {
    /// Keeps every exchange in `folder`, which must hold none: exchanges of two runs in one list would be played as if
    /// they were of one. Made, if there is none, for its owner alone.
    ///
    /// # Errors
    /// When the folder holds recorded exchanges, or can't be made or written to.
    pub fn record(folder: &Path, requests: Requests) -> Result<Self, TapeError> {
        let folder = Folder::writable(folder)?;
        if folder.is_recorded()? {
            return Err(TapeError::Recorded { path: folder.path().to_owned() });
        }
        Ok(Self::of(folder, RecorderState::Record { requests, begun: Mutex::default() }))
    }

    /// Answers from the exchanges in `folder`, each once, and makes no call.
    ///
    /// # Errors
    /// When the folder holds none, or any of its files is damaged or of a newer format.
    pub fn replay(folder: &Path) -> Result<Self, TapeError> {
        let folder = Folder::existing(folder);
        let mut player = Player::default();
        folder.each(|address, cassette| player.add(address, &cassette))?;
        if player.is_empty() {
            return Err(TapeError::Empty { path: folder.path().to_owned() });
        }
        Ok(Self::of(folder, RecorderState::Replay(Mutex::new(player))))
    }

    /// Answers repeated calls from `folder`, which it makes if there is none, for its owner alone. Any number of
    /// processes may use one folder.
    ///
    /// # Errors
    /// When the folder can't be made or written to.
    pub fn cache(folder: &Path) -> Result<Self, TapeError> {
        Ok(Self::of(Folder::writable(folder)?, RecorderState::Cache))
    }

    /// Returns whether a folder holds recorded or cached answers.
    pub fn stands_in(folder: &Path) -> bool {
        Folder::existing(folder).holds_cassettes()
    }

    fn of(folder: Folder, reel: RecorderState) -> Self {
        Self { shared: Arc::new(RecorderShared { folder, reel, problems: Mutex::default() }) }
    }

    /// The way in which it treats calls.
    pub fn mode(&self) -> RecorderMode {
        match self.shared.reel {
            RecorderState::Record { .. } => RecorderMode::Record,
            RecorderState::Replay(_) => RecorderMode::Replay,
            RecorderState::Cache => RecorderMode::Cache,
        }
    }

    /// Returns whether it keeps the bodies of requests. Otherwise these, which may be large, are not held on to.
    fn keeps_requests(&self) -> bool {
        matches!(self.shared.reel, RecorderState::Record { requests: Requests::Bodies, .. })
    }

    /// The folder of its cassettes.
    pub fn folder(&self) -> &Path {
        self.shared.folder.path()
    }

    /// The problems of the tape itself so far, for people: requests that were not recorded, and exchanges that could
    /// not be written.
    pub fn problems(&self) -> Vec<String> {
        locked(&self.shared.problems).clone()
    }

    fn trouble(&self, problem: String) {
        let mut problems = locked(&self.shared.problems);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// Decides how to treat a question.
    fn cue(&self, question: &RecordedQuestion) -> Result<Lookup, CallError> {
        match &self.shared.reel {
            RecorderState::Record { begun, .. } => {
                let mut begun = locked(begun);
                let next = begun.entry(question.key.clone()).or_default();
                let number = *next;
                *next += 1;
                Ok(Lookup::Ask(number))
            }
            RecorderState::Replay(player) => match self.played(player, question) {
                Ok(exchange) => Ok(Lookup::Play(Box::new(exchange))),
                Err(why) => {
                    let fault = self.unrecorded(question, &why);
                    self.trouble(fault.message.clone());
                    Err(fault)
                }
            },
            RecorderState::Cache => Ok(Lookup::Ask(0)),
        }
    }

    /// The exchange that answers a question, read from its file.
    ///
    /// # Errors
    /// The reason why there is none.
    fn played(&self, player: &Mutex<Player>, question: &RecordedQuestion) -> Result<Exchange, String> {
        let ExchangePosition { address, at } = locked(player).play(question)?;
        let cassette = self.shared.folder.read(&address).map_err(|error| error.to_string())?;
        let exchange = cassette.and_then(|cassette| cassette.exchanges.into_iter().nth(at));
        exchange.ok_or_else(|| "its file was removed or changed while it was replayed".to_owned())
    }

    fn unrecorded(&self, question: &RecordedQuestion, why: &str) -> CallError {
        let model = match &question.summary.model {
            Some(model) => format!("model `{model}`"),
            None => "no model named".to_owned(),
        };
        CallError::new(
            super::FailureKind::Unrecorded,
            format!(
                "the cassette `{}` has no answer to this request of `{}` ({model}, request {}): {why}",
                error::shown(self.folder()),
                question.asker.stage,
                question.key
            ),
        )
        .unsent()
    }

    /// The cached exchange for a question, or what is wrong with it if it can't be used.
    fn cached(&self, question: &RecordedQuestion) -> Result<Option<Exchange>, TapeError> {
        match self.shared.reel {
            RecorderState::Cache => {
                let cassette = self.shared.folder.read_own(&Address::first(&question.key))?;
                // An answer that failed is not kept, but a file that was put there may say so.
                Ok(cassette.and_then(|cassette| cassette.exchanges.into_iter().find(Exchange::is_answer)))
            }
            RecorderState::Record { .. } | RecorderState::Replay(_) => Ok(None),
        }
    }

    /// Keeps an exchange that is over.
    fn keep(&self, question: &RecordedQuestion, number: usize, exchange: Exchange) {
        let number = match &self.shared.reel {
            RecorderState::Record { .. } => number,
            RecorderState::Cache if exchange.is_answer() => 0,
            RecorderState::Cache | RecorderState::Replay(_) => return,
        };
        let cassette = Cassette::new(question.key.clone(), question.summary.clone(), vec![exchange]);
        if let Err(error) = self.shared.folder.write(number, &cassette) {
            self.trouble(error.to_string());
        }
    }

    fn forget(&self, key: &RecordingKey) {
        if let Err(error) = self.shared.folder.remove(&Address::first(key)) {
            self.trouble(error.to_string());
        }
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape").field("mode", &self.mode()).field("folder", &self.folder()).finish()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
