//! Stand-in for Telegram's Bot API on this machine, and people who talk to the bot.
//!
//! It has the methods that Postern calls, with the checks and the answers of the published method list.

use crate::endpoint;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time that a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// The Bot API, as one bot sees it.
pub struct Telegram {
    shared: Arc<Shared>,
    /// Address: `http://127.0.0.1:PORT`.
    pub url: String,
}

/// Somebody who uses Telegram.
#[derive(Debug, Clone, Copy)]
pub struct User {
    /// Their number.
    pub id: i64,
    pub name: &'static str,
}

/// Call of the bot.
#[derive(Debug, Clone)]
pub struct Call {
    pub method: String,
    pub params: Value,
    /// Answer to it.
    pub result: Value,
}

impl Call {
    pub fn text(&self) -> &str {
        self.params["text"].as_str().expect("a text")
    }

    pub fn message(&self) -> i64 {
        self.result["message_id"].as_i64().expect("a message")
    }
}

/// Failure of the next call of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Refused for so many seconds.
    TooMany(u64),
    /// Never answered.
    Silence,
    /// The answer is not the Bot API's.
    Nonsense,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    next: i64,
    updates: VecDeque<Value>,
    calls: VecDeque<Call>,
    faults: VecDeque<(String, Fault)>,
    closed: bool,
}

impl Telegram {
    /// The token of the one bot there is.
    pub const TOKEN: &str = "123456789:AAE-stand_in-TOKEN";

    /// Starts it on a port of its own.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared::default());
        shared.state.lock().next = 100;
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&serving);
                if shared.state.lock().closed {
                    return;
                }
                // A client that goes away ends its own thread alone.
                std::thread::spawn(move || drop(serve(&shared, &stream)));
            }
        });
        Self { shared, url }
    }

    /// Sends a message of somebody in a chat, now.
    pub fn says(&self, user: User, chat: i64, text: &str) {
        self.says_at(user, chat, text, seconds());
    }

    /// Sends a message at another time (seconds since 1970).
    pub fn says_at(&self, user: User, chat: i64, text: &str, date: i64) {
        let message = |id: i64| {
            json!({"message_id": id, "date": date, "from": from(user), "text": text,
                "chat": {"id": chat, "type": if chat > 0 { "private" } else { "supergroup" }}})
        };
        self.update("message", message);
    }

    /// Sets somebody's reaction to a message; it is their only reaction to it.
    pub fn reacts(&self, user: User, chat: i64, message: i64, emoji: &str) {
        self.update("message_reaction", |_| {
            json!({"chat": {"id": chat, "type": "private"}, "message_id": message, "user": from(user), "date": seconds(),
                "old_reaction": [], "new_reaction": [{"type": "emoji", "emoji": emoji}]})
        });
    }

    pub fn presses(&self, user: User, chat: i64, message: i64, data: &str) {
        self.update("callback_query", |id| {
            json!({"id": id.to_string(), "from": from(user), "chat_instance": "1", "data": data, "message":
                {"message_id": message, "date": seconds(), "chat": {"id": chat, "type": "private"}, "text": "…"}})
        });
    }

    pub fn fails(&self, method: &str, fault: Fault) {
        self.shared.state.lock().faults.push_back((method.to_owned(), fault));
    }

    /// Waits until everything that was to go wrong did.
    #[track_caller]
    pub fn failed(&self) {
        self.until(|state| state.faults.is_empty().then_some(()));
    }

    /// Waits for the next call of a method that was not waited for yet.
    #[track_caller]
    pub fn next(&self, method: &str) -> Call {
        self.until(|state| {
            let index = state.calls.iter().position(|call| call.method == method)?;
            state.calls.remove(index)
        })
    }

    /// Returns the number of calls of a method that were not waited for yet.
    pub fn unseen(&self, method: &str) -> usize {
        self.shared.state.lock().calls.iter().filter(|call| call.method == method).count()
    }

    /// Waits until nothing is left that the bot has not taken.
    #[track_caller]
    pub fn taken(&self) {
        self.until(|state| state.updates.is_empty().then_some(()));
    }

    /// Waits until the state has what is looked for.
    #[track_caller]
    fn until<T>(&self, mut find: impl FnMut(&mut State) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        let mut state = self.shared.state.lock();
        loop {
            if let Some(found) = find(&mut state) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it does not come: {state:?}");
            self.shared.changed.wait_for(&mut state, left);
        }
    }

    fn update(&self, kind: &str, of: impl Fn(i64) -> Value) {
        let mut state = self.shared.state.lock();
        state.next += 1;
        let update = json!({"update_id": state.next, kind: of(state.next)});
        state.updates.push_back(update);
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Telegram {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.changed.notify_all();
        // Its listener wakes and ends.
        drop(TcpStream::connect(self.url.trim_start_matches("http://")));
    }
}

fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("not yet")
}

fn from(user: User) -> Value {
    json!({"id": user.id, "is_bot": false, "first_name": user.name})
}

fn serve(shared: &Shared, stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let Some(posted) = endpoint::read(&mut reader) else { return Ok(()) };
        let params: Value = serde_json::from_str(&posted.body).unwrap_or_default();
        let method = posted.path.strip_prefix(&format!("/bot{}/", Telegram::TOKEN));
        let fault = method.and_then(|method| {
            let mut state = shared.state.lock();
            let index = state.faults.iter().position(|(of, _)| of == method)?;
            shared.changed.notify_all();
            state.faults.remove(index)
        });
        let answer = match (fault, method) {
            (_, None) => refused(401, "Unauthorized"),
            (Some((_, Fault::TooMany(wait))), _) => json!({"ok": false, "error_code": 429,
                "description": format!("Too Many Requests: retry after {wait}"), "parameters": {"retry_after": wait}}),
            (Some((_, Fault::Nonsense)), _) => json!("<html>"),
            (Some((_, Fault::Silence)), _) => {
                let mut state = shared.state.lock();
                while !state.closed {
                    shared.changed.wait(&mut state);
                }
                return Ok(());
            }
            (None, Some(method)) => answer(shared, method, &params),
        };
        let text = answer.to_string();
        let status = answer["error_code"].as_u64().unwrap_or(200);
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        let mut stream = stream;
        stream.write_all((head + &text).as_bytes())?;
    }
}

fn refused(code: u16, why: &str) -> Value {
    json!({"ok": false, "error_code": code, "description": why})
}

fn answer(shared: &Shared, method: &str, params: &Value) -> Value {
    let result = match method {
        "getMe" => {
            json!({"id": 123_456_789, "is_bot": true, "first_name": "Postern", "username": "postern_test_bot"})
        }
        "getUpdates" => return updates(shared, params),
        "sendMessage" | "editMessageText" => {
            if let Some(wrong) = wrong_message(params, method == "editMessageText") {
                return refused(400, &format!("Bad Request: {wrong}"));
            }
            let id = params["message_id"].as_i64();
            let mut state = shared.state.lock();
            state.next += 1;
            json!({"message_id": id.unwrap_or(state.next), "date": seconds(), "chat": {"id": params["chat_id"]},
                "text": params["text"]})
        }
        "answerCallbackQuery" if params["callback_query_id"].is_string() => json!(true),
        _ => return refused(404, "Not Found"),
    };
    let call = Call { method: method.to_owned(), params: params.clone(), result: result.clone() };
    if method != "getMe" {
        shared.state.lock().calls.push_back(call);
        shared.changed.notify_all();
    }
    json!({"ok": true, "result": result})
}

/// Answers long polling: what was confirmed by a higher offset goes, and an empty list is answered only when
/// the time is over.
fn updates(shared: &Shared, params: &Value) -> Value {
    let offset = params["offset"].as_i64().unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(params["timeout"].as_u64().unwrap_or(0));
    let mut state = shared.state.lock();
    state.updates.retain(|update| update["update_id"].as_i64() >= Some(offset));
    shared.changed.notify_all();
    while state.updates.is_empty() && !state.closed {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        shared.changed.wait_for(&mut state, left);
    }
    json!({"ok": true, "result": state.updates.iter().take(100).collect::<Vec<_>>()})
}

/// Returns what the method list does not allow.
fn wrong_message(params: &Value, edit: bool) -> Option<&'static str> {
    let text: Vec<u16> = params["text"].as_str().unwrap_or_default().encode_utf16().collect();
    let in_text = |entity: &Value| {
        let end =
            entity["offset"].as_u64().zip(entity["length"].as_u64()).map(|(offset, length)| offset + length);
        entity["type"].is_string()
            && end.is_some_and(|end| usize::try_from(end).is_ok_and(|end| end <= text.len()))
    };
    let rows = params["reply_markup"]["inline_keyboard"].as_array();
    let buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    let good = |button: &Value| {
        let data = button["callback_data"].as_str().map_or(0, str::len);
        button["text"].is_string() && (1..=64).contains(&data)
    };
    match () {
        () if !params["chat_id"].is_i64() => Some("chat not found"),
        () if edit && !params["message_id"].is_i64() => Some("message to edit not found"),
        () if text.is_empty() => Some("message text is empty"),
        () if text.len() > 4096 => Some("message is too long"),
        () if !params["entities"].as_array().is_none_or(|all| all.iter().all(in_text)) => Some("entities"),
        () if !buttons.clone().all(good) => Some("BUTTON_DATA_INVALID"),
        () => None,
    }
}
