//! A request's messages and files, as codecs put them into words of their API.

use crate::Failure;
use crate::protocol::{Attachment, CompletionRequest, Role};

/// One message of the prompt, with the files that go with it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The speaker.
    pub role: Role,
    /// The text.
    pub text: &'a str,
    /// The request's files with the last message of the user, none with the others.
    pub files: &'a [Attachment],
}

/// The request's messages in their order. Without a message of the user, files make a last one without text.
///
/// # Errors
/// A request without messages.
pub fn turns(request: &CompletionRequest) -> Result<Vec<Turn<'_>>, Failure> {
    let messages = request.messages.iter();
    let mut turns: Vec<Turn<'_>> =
        messages.map(|message| Turn { role: message.role, text: &message.content, files: &[] }).collect();
    if turns.is_empty() {
        return Err(nothing_said());
    }
    if !request.attachments.is_empty() {
        match turns.iter_mut().rfind(|turn| turn.role == Role::User) {
            Some(turn) => turn.files = &request.attachments,
            None => turns.push(Turn { role: Role::User, text: "", files: &request.attachments }),
        }
    }
    Ok(turns)
}

/// Both parts of the request, for APIs that take the standing instructions apart from the conversation, and no empty
/// messages. There is always something to answer to, if need be the last of the instructions.
///
/// # Errors
/// A request whose messages are all empty.
pub fn apart(request: &CompletionRequest) -> Result<(Vec<String>, Vec<Turn<'_>>), Failure> {
    let said = |turn: &Turn<'_>| !turn.text.trim().is_empty() || !turn.files.is_empty();
    let (system, mut talk): (Vec<Turn<'_>>, Vec<Turn<'_>>) =
        turns(request)?.into_iter().filter(said).partition(|turn| turn.role == Role::System);
    let mut system: Vec<String> = system.into_iter().map(|turn| turn.text.to_owned()).collect();
    if talk.is_empty() {
        let only = request.messages.iter().rfind(|message| !message.content.trim().is_empty());
        let only = only.filter(|_| system.pop().is_some()).ok_or_else(nothing_said)?;
        talk.push(Turn { role: Role::User, text: &only.content, files: &[] });
    }
    Ok((system, talk))
}

fn nothing_said() -> Failure {
    Failure::invalid_request("the request has no messages")
}

/// The failure for a file of a type that an API doesn't take; `instead` are those that it does.
pub fn not_attachable(file: &Attachment, instead: &str) -> Failure {
    Failure::invalid_request(format!("files of type `{}` can't be attached: use {instead}", file.media_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Message;

    fn request(messages: &[(Role, &str)], files: usize) -> CompletionRequest {
        CompletionRequest {
            messages: messages
                .iter()
                .map(|(role, content)| Message { role: *role, content: (*content).to_owned() })
                .collect(),
            attachments: vec![Attachment::default(); files],
            ..CompletionRequest::default()
        }
    }

    fn shown(turns: &[Turn<'_>]) -> Vec<(Role, String, usize)> {
        turns.iter().map(|turn| (turn.role, turn.text.to_owned(), turn.files.len())).collect()
    }

    #[test]
    fn files_go_with_the_last_message_of_the_user() {
        use Role::{Assistant, System, User};
        let talk = request(&[(System, "s"), (User, "a"), (User, "b"), (Assistant, "c")], 2);
        let files: Vec<usize> = turns(&talk).unwrap().iter().map(|turn| turn.files.len()).collect();
        assert_eq!(files, [0, 0, 2, 0]);
        let silent = request(&[(System, "s")], 1);
        assert_eq!(shown(&turns(&silent).unwrap())[1], (User, String::new(), 1));
        let (system, talk) = apart(&silent).unwrap();
        assert_eq!((system, shown(&talk)), (vec!["s".to_owned()], vec![(User, String::new(), 1)]));
        assert!(turns(&request(&[], 1)).is_err());
    }

    #[test]
    fn instructions_stand_apart_and_something_is_left_to_answer_to() {
        use Role::{Assistant, System, User};
        let talk = request(
            &[(System, "s"), (User, "a"), (Assistant, " "), (User, "b"), (System, "t"), (System, "")],
            0,
        );
        let (system, turns) = apart(&talk).unwrap();
        assert_eq!(system, ["s", "t"]);
        assert_eq!(shown(&turns), [(User, "a".to_owned(), 0), (User, "b".to_owned(), 0)]);
        let alone = request(&[(System, "s"), (System, "t"), (User, "")], 0);
        let (system, turns) = apart(&alone).unwrap();
        assert_eq!((system, shown(&turns)), (vec!["s".to_owned()], vec![(User, "t".to_owned(), 0)]));
        assert!(apart(&request(&[(User, " ")], 0)).is_err());
    }
}
