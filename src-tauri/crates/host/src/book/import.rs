//! Rules from a file: all that can be saved are saved at once.

use super::{Book, BookError, Listed};
use postern_policy::Rule;

impl Book {
    /// Saves rules that were read and checked; those that are there already are passed over. With `write` off, nothing
    /// is saved. Gives those that were (or would be) added, and how many were there.
    pub(crate) async fn import(
        &self,
        rules: Vec<Rule>,
        write: bool,
    ) -> Result<(Vec<Listed>, u32), BookError> {
        let _one = self.change().await;
        let known = self.blocking(|book| Ok(book.store().read(postern_store::rules::all)?)).await?;
        let mut new: Vec<Rule> = Vec::new();
        let mut same = 0_u32;
        for rule in rules {
            if known.iter().chain(&new).any(|other| is_same(other, &rule)) {
                same += 1;
            } else {
                new.push(rule);
            }
        }
        if write && !new.is_empty() {
            let adding = new.clone();
            let ids = self.store().write_durable(move |conn| {
                adding.iter().map(|rule| postern_store::rules::add(conn, rule)).collect::<Result<Vec<_>, _>>()
            });
            for (rule, id) in new.iter_mut().zip(ids.await?) {
                rule.id = id;
            }
            self.reload(None).await?;
        }
        let listed = self.remarked(new).await?;
        Ok((listed, same))
    }
}

/// Whether two rules say the same for the same agent. Pins belong to one machine and are not compared.
fn is_same(a: &Rule, b: &Rule) -> bool {
    (a.effect, &a.agent, &a.pattern, &a.args, a.allow_writes, &a.lifetime)
        == (b.effect, &b.agent, &b.pattern, &b.args, b.allow_writes, &b.lifetime)
}
