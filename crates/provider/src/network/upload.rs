//! A request's body that is read from a file while it is sent: a batch may have hundreds of megabytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use loopctl_plugin_sdk::protocol::batch::BatchUpload;
use reqwest::Body;
use tokio::sync::mpsc;

use crate::disk;
use crate::error::{CallError, FailureKind};

/// The approximate size of the pieces that wait to be sent, in bytes.
const PIECE: usize = 64 << 10;
const PIECES_AHEAD: usize = 2;

/// The size of a file of lines, before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UploadSize {
    /// The number of lines.
    pub(crate) count: u64,
    /// Their bytes, without line breaks.
    pub(crate) bytes: u64,
}

impl UploadSize {
    /// Counts the lines of a file. Reads all of it; takes a while.
    ///
    /// # Errors
    /// When it can't be read, or a line is empty or longer than `longest`.
    pub(crate) fn of(path: &Path, longest: usize) -> Result<Self, CallError> {
        let mut lines = UploadSize { count: 0, bytes: 0 };
        let mut reader = open(path)?;
        let mut line = Vec::new();
        while next_line(&mut reader, &mut line).map_err(|error| unreadable(&error))? {
            if line.is_empty() || line.len() > longest {
                let what = if line.is_empty() {
                    "is empty".to_owned()
                } else {
                    format!("has more than {longest} bytes")
                };
                let message = format!("line {} of the batch {what}", lines.count.saturating_add(1));
                return Err(CallError::new(FailureKind::InvalidRequest, message).unsent());
            }
            lines.count = lines.count.saturating_add(1);
            lines.bytes = lines.bytes.saturating_add(line.len() as u64);
        }
        Ok(lines)
    }

    /// The size of the upload in bytes.
    pub(crate) fn uploaded(self, around: &BatchUpload) -> u64 {
        let separators = (around.separator.len() as u64).saturating_mul(self.count.saturating_sub(1));
        let ends = (around.prefix.len() as u64).saturating_add(around.suffix.len() as u64);
        self.bytes.saturating_add(separators).saturating_add(ends)
    }

    /// The lines of a file as a body. The file is read on a thread of its own while the body is sent.
    ///
    /// # Errors
    /// When it can't be opened.
    pub(crate) fn body(self, path: &Path, around: BatchUpload) -> Result<Body, CallError> {
        let reader = open(path)?;
        let left = self.uploaded(&around);
        let (sender, pieces) = mpsc::channel(PIECES_AHEAD);
        tokio::task::spawn_blocking(move || {
            if let Err(error) = feed(reader, &around, &sender) {
                let _ = sender.blocking_send(Err(error));
            }
        });
        Ok(Body::wrap(ChunkBody { pieces, left }))
    }
}

fn open(path: &Path) -> Result<BufReader<File>, CallError> {
    let file = disk::open(path).map_err(|error| unreadable(&error))?;
    Ok(BufReader::with_capacity(PIECE, file))
}

fn unreadable(error: &impl std::fmt::Display) -> CallError {
    CallError::new(FailureKind::Permanent, format!("can't read the lines of the batch: {error}")).unsent()
}

/// Reads the next line into `line`, without its break; `false` if there is none.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if reader.read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(true)
}

type BodyChunk = io::Result<Bytes>;

fn feed(mut reader: impl BufRead, around: &BatchUpload, sender: &mpsc::Sender<BodyChunk>) -> io::Result<()> {
    // No one takes the pieces of a request that was given up.
    let send = |piece: &mut Vec<u8>| sender.blocking_send(Ok(Bytes::from(std::mem::take(piece)))).is_ok();
    let mut piece = around.prefix.clone().into_bytes();
    let (mut line, mut is_first) = (Vec::new(), true);
    while next_line(&mut reader, &mut line)? {
        if !std::mem::take(&mut is_first) {
            piece.extend_from_slice(around.separator.as_bytes());
        }
        piece.extend_from_slice(&line);
        if piece.len() >= PIECE && !send(&mut piece) {
            return Ok(());
        }
    }
    piece.extend_from_slice(around.suffix.as_bytes());
    send(&mut piece);
    Ok(())
}

/// The pieces of a body as they come.
struct ChunkBody {
    pieces: mpsc::Receiver<BodyChunk>,
    /// The number of bytes still to come: what is announced must be sent, or the request is invalid.
    left: u64,
}

impl http_body::Body for ChunkBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.pieces.poll_recv(context).map(|piece| match piece {
            Some(Ok(piece)) => match self.left.checked_sub(piece.len() as u64) {
                Some(left) => {
                    self.left = left;
                    Some(Ok(Frame::data(piece)))
                }
                None => Some(Err(io::Error::other("the file of lines has grown"))),
            },
            Some(Err(error)) => Some(Err(error)),
            None if self.left > 0 => Some(Err(io::Error::other("the file of lines has shrunk"))),
            None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
