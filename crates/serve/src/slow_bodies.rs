//! Bodies that come too slowly are not waited for.

use super::api::ApiError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// The longest time without a byte.
const SILENT_FOR: Duration = Duration::from_secs(15);

/// The longest time for the whole body. The largest document then needs some 2 Mbit/s.
const WHOLE_WITHIN: Duration = Duration::from_secs(300);

/// Gives up a request whose body comes too slowly.
pub(super) async fn limit(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let is_late = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_late);
    let response = next.run(request.map(|body| Body::new(TimedBody::new(body, is_late)))).await;
    if !seen.load(Ordering::Relaxed) {
        return response;
    }
    let error = ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body came too slowly")
        .help("15 seconds without a byte, or 5 minutes in all, are too long");
    let mut response = error.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body with an end in time.
struct TimedBody {
    body: Body,
    silence: Pin<Box<Sleep>>,
    whole: Pin<Box<Sleep>>,
    is_late: Arc<AtomicBool>,
}

impl TimedBody {
    fn new(body: Body, is_late: Arc<AtomicBool>) -> Self {
        TimedBody {
            body,
            silence: Box::pin(sleep(SILENT_FOR)),
            whole: Box::pin(sleep(WHOLE_WITHIN)),
            is_late,
        }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.silence.as_mut().reset(Instant::now() + SILENT_FOR);
            return Poll::Ready(frame);
        }
        let is_late =
            self.silence.as_mut().poll(context).is_ready() || self.whole.as_mut().poll(context).is_ready();
        if !is_late {
            return Poll::Pending;
        }
        self.is_late.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new("the body came too slowly"))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::future::poll_fn;

    /// Yields a byte after each of these times, and then ends or keeps quiet.
    struct Drip {
        every: Duration,
        left: usize,
        ends: bool,
        next: Pin<Box<Sleep>>,
    }

    impl HttpBody for Drip {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.left == 0 {
                return if self.ends { Poll::Ready(None) } else { Poll::Pending };
            }
            std::task::ready!(self.next.as_mut().poll(context));
            self.left -= 1;
            let next = Instant::now() + self.every;
            self.next.as_mut().reset(next);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"x")))))
        }
    }

    /// The number of bytes read, and whether the rest was given up.
    async fn read(every: u64, bytes: usize, ends: bool) -> (usize, bool) {
        let (every, is_late) = (Duration::from_secs(every), Arc::new(AtomicBool::new(false)));
        let drip = Drip { every, left: bytes, ends, next: Box::pin(sleep(every)) };
        let mut body = TimedBody::new(Body::new(drip), Arc::clone(&is_late));
        let mut read = 0;
        while let Some(Ok(_)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            read += 1;
        }
        (read, is_late.load(Ordering::Relaxed))
    }

    /// Time is paused until nothing else can happen, so this takes none.
    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_to_its_end_unless_it_comes_too_slowly() {
        assert_eq!(read(1, 100, true).await, (100, false));
        assert_eq!(read(1, 3, false).await, (3, true), "nothing comes any more");
        assert_eq!(read(20, 5, true).await, (0, true), "too long before the first byte");
        assert_eq!(read(7, 1_000, true).await, (42, true), "a byte now and then");
    }
}
