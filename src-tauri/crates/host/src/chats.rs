//! Access of chats to the record: each message that showed a question is a row.

use crate::Host;
pub use postern_store::chat_messages::ChatMessage;
pub use postern_store::questions::QuestionRow;
use postern_store::{Connection, Error, chat_messages, questions, settings};
use uuid::Uuid;

/// Number of messages that a door reads when it opens.
const NEWEST: u32 = 1000;

impl Host {
    /// Returns the newest messages of a door with their questions, oldest first.
    pub async fn chat_messages(&self, door: &'static str) -> Result<Vec<(ChatMessage, QuestionRow)>, Error> {
        let with_question = |conn: &Connection, message: ChatMessage| {
            let question = questions::get_question(conn, message.question)?;
            Ok(question.map(|question| (message, question)))
        };
        self.read_store(move |conn| {
            let messages = chat_messages::newest(conn, door, NEWEST)?.into_iter();
            messages.filter_map(|message| with_question(conn, message).transpose()).collect()
        })
        .await
    }

    /// Returns the messages on every network that showed a question of this request.
    pub async fn chat_messages_of(&self, request: Uuid) -> Result<Vec<ChatMessage>, Error> {
        self.read_store(move |conn| chat_messages::of_request(conn, request)).await
    }

    /// Returns a question's row.
    pub async fn question_row(&self, question: Uuid) -> Result<Option<QuestionRow>, Error> {
        self.read_store(move |conn| questions::get_question(conn, question)).await
    }

    /// Writes a chat's state and its changed messages durably, in one transaction.
    pub async fn keep_chat(
        &self,
        door: &'static str,
        value: serde_json::Value,
        messages: Vec<ChatMessage>,
    ) -> Result<(), Error> {
        let key = crate::host::kept_as(door);
        let written = self.store().write_durable(move |conn| {
            settings::set_value(conn, &key, &value)?;
            messages.iter().try_for_each(|message| chat_messages::upsert_message(conn, message))
        });
        written.await
    }

    async fn read_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let store = self.store().clone();
        let read = tokio::task::spawn_blocking(move || store.read(work));
        read.await.unwrap_or(Err(Error::Closed))
    }
}
