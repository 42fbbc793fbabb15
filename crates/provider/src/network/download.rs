//! An answer that is read line by line, however long it is.

use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse};

use super::client::torn;
use super::exchange::{IncomingResponse, RequestPermit};
use super::{HttpAttempt, HttpTransport};
use crate::error::CallError;

/// The outcome of a request for lines.
pub(crate) enum Download {
    /// The server turns it away.
    Refused(HttpResponse),
    /// The lines.
    Lines(Box<IncomingLines>),
}

/// Lines as they come. Never more than one of them is held.
pub(crate) struct IncomingLines {
    answer: IncomingResponse,
    /// The call is in flight until the last line.
    _admitted: RequestPermit,
    longest: usize,
    received: usize,
    /// The beginning of a line whose end hasn't arrived.
    begun: Vec<u8>,
    /// The last chunk that arrived, consumed up to `at`.
    chunk: Vec<u8>,
    at: usize,
    /// The line that is read is too long, and the rest of it is skipped.
    skipping: bool,
    ended: bool,
}

/// One line of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum IncomingLine {
    /// Without its break and without secrets.
    Text(String),
    /// It isn't UTF-8, or longer than a line may be.
    Unreadable,
}

impl HttpTransport {
    /// Asks for lines of at most `longest` bytes each.
    ///
    /// # Errors
    /// When the request may not be sent, the server is left alone, or no answer begins.
    pub(crate) async fn download(
        &self,
        request: HttpRequest,
        longest: usize,
        http_attempt: &mut HttpAttempt,
    ) -> Result<Download, CallError> {
        let outgoing = self.prepare(request).map_err(CallError::unsent)?;
        let mut admitted = self.admit(&outgoing, 0, http_attempt).await?;
        let begun = http_attempt.deadline.bound(self.begin(outgoing)).await.and_then(|begun| begun);
        let answer = begun.as_ref().map(|answer| (answer.status.as_u16(), &answer.headers));
        self.learn(answer, &mut admitted, http_attempt);
        let answer = begun?;
        if !answer.status.is_success() {
            let most = self.network.settings.max_response_bytes;
            let refusal = http_attempt.deadline.bound(answer.whole(most)).await.and_then(|whole| whole);
            return Ok(Download::Refused(refusal?));
        }
        Ok(Download::Lines(Box::new(IncomingLines {
            answer,
            _admitted: admitted,
            longest,
            received: 0,
            begun: Vec::new(),
            chunk: Vec::new(),
            at: 0,
            skipping: false,
            ended: false,
        })))
    }
}

impl IncomingLines {
    /// The next line that isn't empty; none after the last.
    ///
    /// # Errors
    /// When the answer breaks off.
    pub(crate) async fn next(
        &mut self,
        http_attempt: &mut HttpAttempt,
    ) -> Result<Option<IncomingLine>, CallError> {
        loop {
            if let Some(line) = self.line_of_chunk() {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(self.whole_line());
            }
            let next = http_attempt.deadline.bound(self.answer.response.chunk()).await?;
            match next.map_err(|error| torn(&error, self.received))? {
                Some(chunk) => {
                    self.received = self.received.saturating_add(chunk.len());
                    (self.chunk, self.at) = (chunk.to_vec(), 0);
                }
                None => self.ended = true,
            }
        }
    }

    /// The next line, if its end has come.
    fn line_of_chunk(&mut self) -> Option<IncomingLine> {
        loop {
            let rest = self.chunk.get(self.at..).filter(|rest| !rest.is_empty())?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if self.begun.len().saturating_add(part.len()) > self.longest {
                self.skipping = true;
                self.begun = Vec::new();
            }
            if !self.skipping {
                self.begun.extend_from_slice(part);
            }
            self.at = self.at.saturating_add(part.len()).saturating_add(usize::from(end.is_some()));
            end?;
            if let Some(line) = self.whole_line() {
                return Some(line);
            }
        }
    }

    /// The bytes held so far, as a line; none if it is blank.
    fn whole_line(&mut self) -> Option<IncomingLine> {
        if std::mem::take(&mut self.skipping) {
            return Some(IncomingLine::Unreadable);
        }
        match String::from_utf8(std::mem::take(&mut self.begun)) {
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => {
                let line = line.trim_start_matches('\u{feff}').trim().to_owned();
                Some(IncomingLine::Text(self.answer.filled.redact(line)))
            }
            Err(_) => Some(IncomingLine::Unreadable),
        }
    }
}
