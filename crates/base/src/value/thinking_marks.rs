//! Marks of models' thinking (`words/thinking.yaml`).

use super::yaml::{self, Data, Node};
use crate::diag::{Problems, SourceFile};
use std::sync::LazyLock;

/// The marks, as the file has them.
#[derive(Debug, Default)]
pub struct ThinkingMarks {
    /// Names of tags.
    pub tags: Vec<String>,
    /// Beginnings and ends of thinking, in other forms.
    pub pairs: Vec<(String, String)>,
    /// The beginning of the header of a message with a channel.
    pub channel_header: String,
    /// The end of such a header.
    pub channel_message: String,
    /// Marks between messages.
    pub channel_ends: Vec<String>,
    /// The channels whose messages are answers.
    pub answer_channels: Vec<String>,
    /// Words that are left over from channels: one with which the text begins, one after which the answer begins.
    pub bare: Option<(String, String)>,
}

/// The shipped marks.
pub fn thinking_marks() -> &'static ThinkingMarks {
    static MARKS: LazyLock<ThinkingMarks> = LazyLock::new(read);
    &MARKS
}

fn read() -> ThinkingMarks {
    let file = SourceFile::shipped("words/thinking.yaml", include_str!("../../../../words/thinking.yaml"));
    let root = yaml::parse(&file, &mut Problems::new());
    let root = root.as_ref();
    let channels = root.and_then(|root| member(root, "channels"));
    let text = |key: &str| channels.and_then(|of| member(of, key)?.as_text()).unwrap_or_default().to_owned();
    let pair = |node: &Node| {
        let mut words = texts(Some(node)).into_iter();
        Some((words.next()?, words.next()?))
    };
    ThinkingMarks {
        tags: texts(root.and_then(|root| member(root, "tags"))),
        pairs: items(root.and_then(|root| member(root, "marks"))).iter().filter_map(pair).collect(),
        channel_header: text("header"),
        channel_message: text("message"),
        channel_ends: texts(channels.and_then(|of| member(of, "ends"))),
        answer_channels: texts(channels.and_then(|of| member(of, "answers"))),
        bare: root.and_then(|root| member(root, "bare")).and_then(pair),
    }
}

fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.data {
        Data::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
        _ => None,
    }
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}

fn texts(node: Option<&Node>) -> Vec<String> {
    items(node).iter().filter_map(Node::as_text).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_file_is_read() {
        let marks = thinking_marks();
        assert!(marks.tags.iter().any(|tag| tag == "think") && marks.pairs.len() >= 4, "{marks:?}");
        assert!(marks.pairs.iter().any(|(open, _)| open == "[THINK]"), "{marks:?}");
        assert_eq!(
            (marks.channel_header.as_str(), marks.channel_message.as_str()),
            ("<|channel|>", "<|message|>")
        );
        assert_eq!(
            (marks.answer_channels.as_slice(), marks.channel_ends.len()),
            (&["final".to_owned()][..], 5)
        );
        assert!(marks.bare.is_some());
    }
}
