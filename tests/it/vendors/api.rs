//! The common interface of the three APIs, and which of them a server speaks.

use super::fields::Checked;
use super::wire::{Request, Response};
use super::{anthropic, gemini, openai};
use serde_json::Value;

/// An API that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    /// OpenAI's chat completions.
    OpenAi,
    /// OpenAI's chat completions as Azure serves them.
    Azure,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's generateContent.
    Gemini,
}

/// The content of a well-formed request.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) model: String,
    /// All text that the model gets to see, in order.
    pub(super) text: String,
    /// The schema of the answer, as it was sent, in JSON Schema's terms.
    pub(super) schema: Option<Value>,
    /// `true` if the API promises answers that follow it.
    pub(super) binding: bool,
    /// The tool that must be called; without one the answer is text.
    pub(super) tool: Option<String>,
    /// The media types and bytes of what is attached.
    pub(super) attached: Vec<(String, Vec<u8>)>,
}

/// The reason why a request gets no answer, apart from what its body says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// There is nothing at this path.
    NoSuchPath,
    /// Another method than POST.
    Method,
    /// The request breaks the documented rules.
    Malformed(String),
    /// No key, where one is needed.
    NoKey,
    /// A wrong key: the one that was sent.
    BadKey(String),
    /// The key may not do this.
    Forbidden,
    /// There is no such model.
    NoSuchModel(String),
    /// Too many requests. `quota` when waiting does not help.
    TooMany { quota: bool },
    /// The vendor's fault.
    Broken,
    /// Too much is asked of the vendor.
    Overloaded,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Whole.
    Whole,
    /// Cut at the token limit, in the middle.
    Cut,
    /// With `\\u` escapes for all that is not ASCII: in what the model wrote, and around it.
    Escaped,
}

impl Api {
    pub(super) fn name(self) -> &'static str {
        match self {
            Api::OpenAi => "openai",
            Api::Azure => "azure",
            Api::Anthropic => "anthropic",
            Api::Gemini => "gemini",
        }
    }

    /// The content of a request, or what is wrong with it. `key` is what it must show.
    pub(super) fn check(self, request: &Request, key: Option<&str>) -> Result<Asked, Problem> {
        match self {
            Api::OpenAi => openai::check(request, key, false),
            Api::Azure => openai::check(request, key, true),
            Api::Anthropic => anthropic::check(request, key),
            Api::Gemini => gemini::check(request, key),
        }
    }

    /// The documented answer with `value` as what the model said.
    pub(super) fn answer(self, call: usize, asked: &Asked, value: &Value, manner: Manner) -> Response {
        let body = match self {
            Api::OpenAi | Api::Azure => openai::answer(call, asked, value, manner),
            Api::Anthropic => anthropic::answer(call, asked, value, manner),
            Api::Gemini => gemini::answer(call, asked, value, manner),
        };
        let mut response = self.headed(call, Response::json(200, &body));
        if manner == Manner::Escaped {
            response.body = escaped(&body.to_string()).into_bytes();
        }
        response
    }

    /// The model declines.
    pub(super) fn refusal(self, call: usize, asked: &Asked) -> Response {
        let body = match self {
            Api::OpenAi | Api::Azure => openai::refusal(call, asked),
            Api::Anthropic => anthropic::refusal(call, asked),
            Api::Gemini => gemini::refusal(call, asked),
        };
        self.headed(call, Response::json(200, &body))
    }

    /// A well-formed answer with nothing in it.
    pub(super) fn nothing(self, call: usize, asked: &Asked) -> Response {
        let body = match self {
            Api::OpenAi | Api::Azure => openai::nothing(call, asked),
            Api::Anthropic => anthropic::nothing(call, asked),
            Api::Gemini => gemini::nothing(call, asked),
        };
        self.headed(call, Response::json(200, &body))
    }

    /// The documented error.
    pub(super) fn error(self, call: usize, problem: &Problem) -> Response {
        let (status, body) = match self {
            Api::OpenAi => openai::error(problem),
            Api::Azure => openai::azure_error(problem),
            Api::Anthropic => anthropic::error(call, problem),
            Api::Gemini => gemini::error(problem),
        };
        self.headed(call, Response::json(status, &body))
    }

    fn headed(self, call: usize, response: Response) -> Response {
        match self {
            Api::OpenAi => response
                .with("x-request-id", request_id(call))
                .with("openai-version", "2020-10-01")
                .with("openai-processing-ms", "12"),
            Api::Azure => {
                response.with("apim-request-id", request_id(call)).with("x-ms-region", "West Europe")
            }
            Api::Anthropic => response.with("request-id", request_id(call)),
            Api::Gemini => response.with("server-timing", "gfet4t7; dur=12"),
        }
    }
}

/// The id that the vendor knows a request by.
pub(super) fn request_id(call: usize) -> String {
    format!("req_{call:04}")
}

/// The body as JSON.
pub(super) fn body(request: &Request) -> Checked<Value> {
    if !request.is_json() {
        return Err("the content type must be application/json".to_owned());
    }
    let text = std::str::from_utf8(&request.body).map_err(|_| "the body is not UTF-8".to_owned())?;
    serde_json::from_str(text).map_err(|error| format!("could not parse the JSON body: {error}"))
}

/// The text of an answer; what was cut ends in the middle.
pub(super) fn text(value: &Value, manner: Manner) -> String {
    let whole = value.to_string();
    match manner {
        Manner::Whole => whole,
        Manner::Escaped => escaped(&whole),
        Manner::Cut => whole.chars().take(whole.chars().count() * 3 / 5).collect(),
    }
}

/// JSON with `\u` escapes for all that is not ASCII, as several servers write it.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

/// About four bytes to a token.
pub(super) fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
