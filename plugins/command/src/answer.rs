//! Interprets a program's standard output.

use loopctl_plugin_sdk::codec::lenient_json;
use loopctl_plugin_sdk::protocol::Completion;
use serde_json::Value;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The form of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// A completion of the protocol.
    Completion,
    /// Any JSON: the answer itself.
    Value,
    /// The text of a model.
    Text,
}

impl AnswerKind {
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "completion" => Some(Self::Completion),
            "value" => Some(Self::Value),
            "text" => Some(Self::Text),
            _ => None,
        }
    }

    /// The completion in `output`; the error continues "the answer of `x` …" and never quotes it.
    pub(crate) fn read(self, mut output: Vec<u8>) -> Result<Completion, String> {
        // What programs on Windows like to begin with.
        if output.starts_with(BYTE_ORDER_MARK) {
            output.drain(..BYTE_ORDER_MARK.len());
        }
        if output.iter().all(u8::is_ascii_whitespace) {
            return Err("is empty: it wrote nothing to standard output".to_owned());
        }
        match self {
            Self::Completion => {
                let completion: Completion = serde_json::from_slice(&output)
                    .or_else(|error| {
                        lenient(&output).and_then(|value| serde_json::from_value(value).ok()).ok_or(error)
                    })
                    .map_err(|error| problem_of(&error))?;
                if completion.value.is_none() && completion.text.is_none() {
                    return Err(
                        "has neither `value` nor `text`; if all of it is the answer, say `answer: value` \
                                in the provider's configuration"
                            .to_owned(),
                    );
                }
                Ok(completion)
            }
            Self::Value => {
                let value: Value = serde_json::from_slice(&output)
                    .or_else(|error| lenient(&output).ok_or(error))
                    .map_err(|error| problem_of(&error))?;
                Ok(Completion { value: Some(value), ..Completion::default() })
            }
            Self::Text => {
                let text = String::from_utf8(output).map_err(|error| {
                    format!("is not UTF-8 (byte {})", error.utf8_error().valid_up_to().saturating_add(1))
                })?;
                Ok(Completion { text: Some(text), ..Completion::default() })
            }
        }
    }
}

/// JSON with half of a surrogate pair: it is no reason to run the program again.
fn lenient(output: &[u8]) -> Option<Value> {
    lenient_json(std::str::from_utf8(output).ok()?).ok()
}

/// The position of the error, and not the text there, which may be the document.
fn problem_of(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    if error.is_data() {
        format!("is JSON, but not a completion of the protocol (line {line}, column {column})")
    } else {
        format!(
            "is not JSON (line {line}, column {column}); if it is a model's text, say `answer: text` in the \
             provider's configuration"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(kind: AnswerKind, output: &[u8]) -> Result<Completion, String> {
        kind.read(output.to_vec())
    }

    #[test]
    fn each_kind_reads_its_own() {
        let completion =
            read(AnswerKind::Completion, br#"{"value": 1, "usage": {"input_tokens": 7}}"#).unwrap();
        assert_eq!((completion.value, completion.usage.input_tokens), (Some(json!(1)), 7));
        assert_eq!(read(AnswerKind::Value, b" {\"a\": 1}\n").unwrap().value, Some(json!({"a": 1})));
        assert_eq!(read(AnswerKind::Value, "\u{feff}[1]".as_bytes()).unwrap().value, Some(json!([1])));
        assert_eq!(read(AnswerKind::Value, b"null").unwrap().value, Some(Value::Null));
        let half = read(AnswerKind::Value, br#"{"a": "x\ud800"}"#).unwrap();
        assert_eq!(half.value, Some(json!({"a": "x\u{fffd}"})));
        let half = read(AnswerKind::Completion, br#"{"text": "x\udc00"}"#).unwrap();
        assert_eq!(half.text.as_deref(), Some("x\u{fffd}"));
        assert_eq!(read(AnswerKind::Text, "`é`\n".as_bytes()).unwrap().text.as_deref(), Some("`é`\n"));
    }

    #[test]
    fn what_is_wrong_is_said_and_not_shown() {
        for (kind, output, says) in [
            (AnswerKind::Value, &b"\n "[..], "is empty"),
            (AnswerKind::Text, b"", "is empty"),
            (AnswerKind::Value, b"{\"a\":\n secret", "not JSON (line 2, column 2)"),
            (AnswerKind::Completion, b"secret", "answer: text"),
            (AnswerKind::Completion, br#"{"secret": 1}"#, "answer: value"),
            (AnswerKind::Completion, br#"{"text": {"secret": 1}}"#, "not a completion"),
            (AnswerKind::Completion, b"{\"value\": 1} secret", "not JSON"),
            (AnswerKind::Text, b"secret\xff", "not UTF-8 (byte 7)"),
            (AnswerKind::Value, "[".repeat(200).as_bytes(), "not JSON"),
        ] {
            let problem = read(kind, output).unwrap_err();
            assert!(problem.contains(says) && !problem.contains("secret"), "{problem}");
        }
    }
}
