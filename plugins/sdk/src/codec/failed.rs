//! The failures of an API that doesn't answer.

use std::time::Duration;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::lenient_json;
use crate::Failure;
use crate::protocol::{HttpResponse, OUT_OF_CREDIT, Usage};

/// The most characters of an API's own words that are passed on.
const MOST: usize = 300;

/// The advice where a model takes no `temperature`, or not this one.
pub const WITHOUT_TEMPERATURE: &str =
    "`extra_body: { temperature: null }` in the `options` of the stage or judge leaves it out";

/// An error as an API reports it. Its message is the API's documented field, never the rest of the body, which may
/// repeat the request.
#[derive(Debug, Clone, Default)]
pub struct ApiError {
    /// The HTTP status, or the one in the body that replaces it.
    pub status: u16,
    /// The API's own words.
    pub message: Option<String>,
    /// The API's name for the error, such as `insufficient_quota`.
    pub code: Option<String>,
    /// The id under which the vendor finds the call.
    pub request_id: Option<String>,
    /// The time to wait, when the API gives one.
    pub retry_after: Option<Duration>,
    /// Advice on what to do, beyond what the host says about a status: it names model, base URL, key and request id.
    pub hint: Option<String>,
    /// The usage of the call despite the error, where there is an answer beside it.
    pub usage: Usage,
}

impl ApiError {
    /// The failure that the status means: 401 and 403 unauthorized; 429 rate limited; 408, 409, 425 and 5xx may
    /// pass; 400, 413, 415 and 422 an invalid request; anything else permanent.
    pub fn failure(self) -> Failure {
        let message = self.words();
        let mut failure = match self.status {
            401 | 403 => Failure::unauthorized(message),
            429 => Failure::rate_limited(message, None),
            408 | 409 | 425 | 500..=599 => Failure::transient(message),
            400 | 413 | 415 | 422 => Failure::invalid_request(message),
            _ => Failure::permanent(message),
        };
        failure.error.retry_after_ms =
            self.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        failure.with_detail(Value::Object(self.detail()))
    }

    /// A key that was refused, whatever the status.
    pub fn unauthorized(self) -> Failure {
        Failure::unauthorized(self.words()).with_detail(Value::Object(self.detail()))
    }

    /// An account that has nothing left, or may spend no more, whatever the status: no waiting cures that, and every other
    /// call would fail the same way.
    pub fn out_of_credit(self) -> Failure {
        self.spent("waiting doesn't help: the account needs credit, or a higher limit on what it may spend")
    }

    /// A quota of a day or more, whatever the status and however short a wait is asked for: it does not come back while a
    /// run waits, and every other call would fail the same way.
    pub fn out_of_quota(self) -> Failure {
        self.spent(
            "the quota of a day (or longer) is used up: try again when it is renewed, ask for a higher one, or use \
             another model",
        )
    }

    fn spent(mut self, hint: &str) -> Failure {
        self.hint = Some(hint.to_owned());
        let mut detail = self.detail();
        detail.insert(OUT_OF_CREDIT.to_owned(), json!(true));
        Failure::permanent(self.words()).with_detail(Value::Object(detail))
    }

    fn words(&self) -> String {
        let mut words = format!("the API answers {}", self.status);
        match (&self.message, &self.code) {
            (Some(message), _) => words = format!("{words}: {}", sanitize_line(message, MOST)),
            (None, Some(code)) => words = format!("{words}: {}", sanitize_line(code, MOST)),
            (None, None) => {}
        }
        if let Some(hint) = &self.hint {
            words = format!("{}; {hint}", words.trim_end_matches(['.', ' ']));
        }
        words
    }

    fn detail(&self) -> Map<String, Value> {
        let tamed = |text: &Option<String>| text.as_deref().map(|text| sanitize_line(text, 80));
        let mut detail = Map::from_iter([("status".to_owned(), json!(self.status))]);
        for (key, text) in [("code", tamed(&self.code)), ("request_id", tamed(&self.request_id))] {
            if let Some(text) = text {
                detail.insert(key.to_owned(), Value::String(text));
            }
        }
        if self.usage != Usage::default() {
            detail.insert("usage".to_owned(), json!(self.usage));
        }
        detail
    }
}

/// Returns whether the value in place of an error names none: `null`, `{}`, `""`, `{"code": 0, "message": ""}`.
/// Gateways send such a thing with every answer.
pub fn says_nothing(error: &Value) -> bool {
    /// The words that report success.
    const WELL: &[&str] = &["", "0", "200", "null", "none", "ok", "success", "no error", "no_error", "false"];
    /// The members that identify the call, and its time.
    const ABOUT_THE_CALL: &[&str] =
        &["id", "log_id", "param", "request_id", "requestid", "timestamp", "trace_id"];
    match error {
        Value::Null => true,
        Value::Bool(failed) => !failed,
        Value::Number(code) => {
            code.as_f64().is_some_and(|code| code == 0.0 || (200.0..300.0).contains(&code))
        }
        Value::String(words) => WELL.iter().any(|well| words.trim().eq_ignore_ascii_case(well)),
        Value::Array(errors) => errors.iter().all(says_nothing),
        Value::Object(members) => members.iter().all(|(name, member)| {
            ABOUT_THE_CALL.iter().any(|about| name.eq_ignore_ascii_case(about)) || says_nothing(member)
        }),
    }
}

/// Returns whether the words of an error mention a quota of a day or more, as the names of quotas
/// (`…PerDayPerProject…`, `free-models-per-day`) and messages do.
pub fn is_quota_of_days(words: &str) -> bool {
    const QUOTAS: &[&str] = &["perday", "perweek", "permonth", "peryear", "byday"];
    let bare: String = words.chars().filter(char::is_ascii_alphanumeric).collect();
    let bare = bare.to_ascii_lowercase();
    QUOTAS.iter().any(|quota| bare.contains(quota)) || words.to_ascii_lowercase().contains("daily")
}

/// An answer that was paid for and can't be used: cut short, refused, withheld.
#[derive(Debug, Clone)]
pub struct Cut<'a> {
    /// The description of what happened, and what to do.
    pub message: String,
    /// The API's word for it.
    pub finish_reason: &'a str,
    /// The usage of the call.
    pub usage: Usage,
}

impl Cut<'_> {
    /// As the answer to the call, where asking again would cost the same for the same.
    pub fn failure(self) -> Failure {
        let detail = self.detail();
        Failure::permanent(self.message).with_detail(detail)
    }

    /// As the answer to the call, where another try may go well.
    pub fn passing(self) -> Failure {
        let detail = self.detail();
        Failure::transient(self.message).with_detail(detail)
    }

    fn detail(&self) -> Value {
        json!({ "finish_reason": sanitize_line(self.finish_reason, 80), "usage": self.usage })
    }

    /// The answer reached the limit on its length.
    pub fn by_length(finish_reason: &str, usage: Usage) -> Failure {
        let message =
            "the answer was cut at the limit on its tokens: raise `max_tokens` (thinking counts, too)"
                .to_owned();
        Cut { message, finish_reason, usage }.failure()
    }
}

/// Half an answer, which its server broke off without saying so by an error. Another attempt may bring all of it.
pub fn broken_off(finish_reason: &str, usage: Usage) -> Failure {
    let stopped = match finish_reason {
        "" => String::new(),
        reason => format!(" ({})", sanitize_line(reason, 40)),
    };
    let message = format!("the server broke off in the middle of the answer{stopped}");
    Cut { message, finish_reason, usage }.passing()
}

/// Returns whether the JSON in a text ends before it is whole. Half an answer mends into one that looks whole, so it is
/// no answer where the API doesn't say that the model was done.
pub fn is_torn(text: &str) -> bool {
    let json = text.find(['{', '[']).and_then(|start| text.get(start..));
    json.is_some_and(|json| serde_json::from_str::<IgnoredAny>(json).is_err_and(|error| error.is_eof()))
}

/// An answer in which the model said nothing, which was paid for all the same: thinking counts, too. Another attempt may
/// bring some words.
pub fn empty(message: impl Into<String>, usage: &Usage) -> Failure {
    Failure::transient(message).with_detail(json!({ "usage": usage }))
}

/// The body of an answer whose status says that it failed; null when it isn't JSON. Google puts it in a list.
pub fn error_body(response: &HttpResponse) -> Value {
    match lenient_json(&response.body) {
        Ok(Value::Array(list)) => list.into_iter().next().unwrap_or(Value::Null),
        body => body.unwrap_or(Value::Null),
    }
}

/// The HTTP status that `error.code` means, in an answer whose own status reports success.
pub fn error_status(body: &Value) -> Option<u16> {
    let code = body.pointer("/error/code")?;
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// The body of a good answer.
///
/// # Errors
/// Transient, when it isn't JSON: it was torn on its way, or something between answered in the API's place. Permanent
/// when it is a stream of events: the server doesn't do otherwise.
pub fn parse_body(response: &HttpResponse) -> Result<Value, Failure> {
    // The beginnings of lines of a stream; one that is only to keep the connection open has nothing before the colon.
    const EVENTS: &[&str] = &["data:", "event:", "id:", "retry:", ":"];
    if EVENTS.iter().any(|line| response.body.trim_start().starts_with(line)) {
        return Err(Failure::permanent(
            "the API streams its answer, though it wasn't asked to: switch streaming off at the server or gateway",
        ));
    }
    lenient_json(&response.body).map_err(|_| {
        Failure::transient(format!(
            "the API answers {} with {} bytes that are not JSON: the answer is torn, or `base_url` leads elsewhere",
            response.status,
            response.body.len()
        ))
    })
}

/// The wait that the headers ask for: `retry-after-ms`, or `retry-after` in seconds. Its form with a date needs a
/// clock, which only the host has.
pub fn retry_after(response: &HttpResponse) -> Option<Duration> {
    let number = |name: &str| {
        let value: f64 = response.headers.get(name)?.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    };
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Someone else's words as one line of at most `most` characters. Some servers repeat the request behind `'input':`, so
/// the words end there.
pub fn sanitize_line(words: &str, most: usize) -> String {
    let end = ["'input'", "\"input\""].iter().filter_map(|echo| words.find(echo)).min();
    let cut = end.and_then(|end| words.get(..end));
    let mut line = String::new();
    for (count, c) in cut.unwrap_or(words).trim().chars().enumerate() {
        if count == most {
            line.push('…');
            return line;
        }
        line.push(if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    }
    if cut.is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::abi;

    #[test]
    fn every_status_has_its_kind() {
        let cases = [
            (400, abi::LC_INVALID_REQUEST),
            (401, abi::LC_UNAUTHORIZED),
            (402, abi::LC_PERMANENT),
            (403, abi::LC_UNAUTHORIZED),
            (404, abi::LC_PERMANENT),
            (408, abi::LC_TRANSIENT),
            (409, abi::LC_TRANSIENT),
            (413, abi::LC_INVALID_REQUEST),
            (418, abi::LC_PERMANENT),
            (422, abi::LC_INVALID_REQUEST),
            (429, abi::LC_RATE_LIMITED),
            (500, abi::LC_TRANSIENT),
            (503, abi::LC_TRANSIENT),
            (529, abi::LC_TRANSIENT),
            (304, abi::LC_PERMANENT),
        ];
        for (status, kind) in cases {
            assert_eq!(ApiError { status, ..ApiError::default() }.failure().status, kind, "{status}");
        }
    }

    #[test]
    fn the_message_says_status_and_words_and_the_rest_is_detail() {
        let error = ApiError {
            status: 404,
            message: Some("no model\n`x`.".into()),
            code: Some("model_not_found".into()),
            request_id: Some("req_1".into()),
            ..ApiError::default()
        };
        let failure = error.failure();
        assert_eq!(failure.error.message, "the API answers 404: no model `x`.");
        assert_eq!(
            failure.error.detail,
            Some(json!({"status": 404, "code": "model_not_found", "request_id": "req_1"}))
        );
    }

    #[test]
    fn others_words_are_bounded_and_never_the_request() {
        assert_eq!(sanitize_line(&"é".repeat(1000), MOST).chars().count(), MOST + 1);
        assert_eq!(
            sanitize_line("[{'msg': 'missing', 'input': {'messages': ['the patient']}}]", MOST),
            "[{'msg': 'missing',…"
        );
        assert_eq!(sanitize_line(" a\u{1b}[0m\r\nb ", MOST), "a [0m  b");
    }

    #[test]
    fn errors_are_found_in_lists_and_behind_good_statuses() {
        let body = |body: &str| {
            error_body(&HttpResponse { status: 400, headers: BTreeMap::new(), body: body.to_owned() })
        };
        assert_eq!(body(r#"{"error": 1}"#), json!({"error": 1}));
        assert_eq!(body(r#"[{"error": 1}]"#), json!({"error": 1}));
        for none in ["[]", "<html>", ""] {
            assert_eq!(body(none), Value::Null, "{none}");
        }
        for (code, status) in [
            (json!(429), Some(429)),
            (json!("503"), Some(503)),
            (json!("rate_limit_exceeded"), None),
            (json!(200), None),
            (json!(70_000), None),
            (json!(null), None),
        ] {
            assert_eq!(error_status(&json!({"error": {"code": code}})), status, "{code}");
        }
    }

    #[test]
    fn an_account_without_credit_is_told_apart() {
        let failure =
            ApiError { status: 400, message: Some("Too low.".into()), ..ApiError::default() }.out_of_credit();
        assert_eq!(failure.status, abi::LC_PERMANENT);
        assert!(
            failure.error.message.starts_with("the API answers 400: Too low; waiting doesn't help"),
            "{failure}"
        );
        assert_eq!(failure.error.detail, Some(json!({"status": 400, "out_of_credit": true})));
    }

    #[test]
    fn a_quota_of_a_day_is_told_apart() {
        let error = ApiError {
            status: 429,
            message: Some("Too much.".into()),
            retry_after: Some(Duration::from_secs(1)),
            ..ApiError::default()
        };
        let failure = error.out_of_quota();
        assert_eq!((failure.status, failure.error.retry_after_ms), (abi::LC_PERMANENT, None));
        assert!(failure.error.message.contains("Too much; the quota of a day"), "{failure}");
        assert_eq!(failure.error.detail, Some(json!({"status": 429, "out_of_credit": true})));
        for words in [
            "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            "Rate limit exceeded: free-models-per-day",
            "UserByModelByDay",
            "Limit of tokens per day reached",
            "your monthly quota, 100 per month",
            "the daily free allocation of 10,000 neurons",
        ] {
            assert!(is_quota_of_days(words), "{words}");
        }
        for words in
            ["GenerateRequestsPerMinutePerProjectPerModel", "requests per min (RPM)", "per second", ""]
        {
            assert!(!is_quota_of_days(words), "{words}");
        }
    }

    #[test]
    fn what_names_no_error_is_none() {
        for nothing in [
            json!(null),
            json!({}),
            json!([]),
            json!(""),
            json!("  "),
            json!(0),
            json!(200),
            json!(false),
            json!("none"),
            json!("OK"),
            json!({"code": 0}),
            json!({"code": "0", "message": "Success"}),
            json!({"code": null, "message": null, "type": null, "param": null}),
            json!({"code": 200, "message": "ok", "request_id": "req_1"}),
            json!({"error": {}}),
            json!([{}, null]),
        ] {
            assert!(says_nothing(&nothing), "{nothing}");
        }
        for something in [
            json!(true),
            json!("overloaded"),
            json!(502),
            json!(-1),
            json!({"code": 429}),
            json!({"code": "rate_limit_exceeded", "message": ""}),
            json!({"code": 0, "message": "the upstream broke off"}),
            json!({"type": "server_error"}),
            json!({"metadata": {"raw": "busy"}}),
            json!([{"message": "busy"}]),
        ] {
            assert!(!says_nothing(&something), "{something}");
        }
    }

    #[test]
    fn json_that_ends_too_early_is_torn() {
        for torn in ["{", "{\"a\": \"b", "[1, 2", "Here: {\"a\": [", "```json\n{\"a\": 1,\n"] {
            assert!(is_torn(torn), "{torn}");
        }
        for whole in
            ["", "{}", "{\"a\": 1} and more", "```json\n[1]\n```", "as [she] said", "G2", "{'a': 1", "7"]
        {
            assert!(!is_torn(whole), "{whole}");
        }
        let failure = broken_off("abort", Usage::default());
        assert_eq!(failure.error.message, "the server broke off in the middle of the answer (abort)");
        assert_eq!(failure.status, abi::LC_TRANSIENT);
    }

    #[test]
    fn streams_are_no_answers() {
        let parsed = |body: &str| {
            parse_body(&HttpResponse { status: 200, headers: BTreeMap::new(), body: body.to_owned() })
        };
        for stream in [
            "data: {\"choices\": []}\n\ndata: [DONE]\n",
            "event: message_start\ndata: {}\n",
            ": OPENROUTER PROCESSING\n\ndata: {}\n",
            "id: 1\ndata: {}\n",
            "retry: 100\n\n",
        ] {
            let failure = parsed(stream).unwrap_err();
            assert_eq!(failure.status, abi::LC_PERMANENT, "{failure}");
            assert!(failure.error.message.contains("streams its answer"), "{failure}");
        }
        assert_eq!(parsed("{\"a\": ").unwrap_err().status, abi::LC_TRANSIENT);
    }

    #[test]
    fn waits_are_read_from_headers() {
        let asked = |headers: &[(&str, &str)]| {
            let headers: BTreeMap<_, _> = headers.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
            retry_after(&HttpResponse { status: 429, headers, body: String::new() })
        };
        assert_eq!(asked(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(asked(&[("retry-after", "0.5")]), Some(Duration::from_millis(500)));
        assert_eq!(
            asked(&[("retry-after-ms", "1500"), ("retry-after", "2")]),
            Some(Duration::from_millis(1500))
        );
        for odd in ["-1", "NaN", "1e400", "Wed, 21 Oct 2026 07:28:00 GMT", ""] {
            assert_eq!(asked(&[("retry-after", odd)]), None, "{odd}");
        }
    }
}
