//! Messages to the process that reads a file: its settings, the file, then tasks.

use loopctl_program::read_frame;
use std::io::{self, Read};
use std::process::exit;
use std::sync::mpsc::{Receiver, sync_channel};

/// The longest task, and the longest settings, in bytes.
const MOST_TASK: u64 = 16 << 20;
/// The longest file, in bytes. Those who hand it over hold it to a bound of their own.
const MOST_FILE: u64 = 1 << 30;

/// The messages of a stream, up to its end or the first error.
pub(super) struct ReaderMessages<R> {
    input: R,
    /// The bounds of the messages that come before the tasks.
    first: std::array::IntoIter<u64, 2>,
}

impl<R: Read> ReaderMessages<R> {
    pub(super) fn of(input: R) -> Self {
        ReaderMessages { input, first: [MOST_TASK, MOST_FILE].into_iter() }
    }
}

impl<R: Read> Iterator for ReaderMessages<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let most = self.first.next().unwrap_or(MOST_TASK);
        read_frame(&mut self.input, most).transpose()
    }
}

impl<R: Read + Send + 'static> ReaderMessages<R> {
    /// The messages, read by a thread that ends this process when the stream ends: no one waits for the task in hand then.
    /// At most one message is read before it is asked for.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub(super) fn until_no_one_waits(self) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
        let (hand_over, handed) = sync_channel(0);
        let watch = move || {
            for message in self {
                let is_last = message.is_err();
                if hand_over.send(message).is_err() || is_last {
                    return;
                }
            }
            exit(0);
        };
        std::thread::Builder::new().name("loopctl-messages".to_owned()).spawn(watch)?;
        Ok(handed)
    }
}
