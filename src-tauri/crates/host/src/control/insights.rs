//! `insights.*`: what the history says about the rules.

use super::offers::rule_offer;
use super::requests::effect_named;
use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::clock::now_millis;
use crate::gate::RequestJudgment;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use postern_command::escape::visible_text;
use postern_contract::methods::{
    AgentCounts, ControlError, Counts, DayCounts, EffectCount, FolderCounts, GetInsights, Insights,
    InsightsAsk, RuleCount, SuggestRules, Suggestion, Suggestions,
};
use postern_contract::{render, without_secrets};
use postern_policy::{
    AgentId, AlwaysOffer, Decision, Millis, Origin, PastQuestion, RiskLevel, Suggested, from_home, suggest,
};
use postern_protocol::Decided;
use postern_store::history;
use postern_store::requests::{Filter, Summary};
use postern_store::tally;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The longest look back, in days.
const LONGEST: u32 = 366;
const RULES: usize = 20;
const FOLDERS: usize = 12;
/// Number of the newest questions of each kind that are examined for suggestions.
const QUESTIONS: u32 = 1000;
/// Number of different commands that are judged for suggestions: those that were asked about most.
const COMMANDS: usize = 60;
const SUGGESTED: usize = 8;
const EXAMPLES: usize = 5;

impl Handle<GetInsights> for HostControl {
    async fn handle(&self, _: ApproverId, params: InsightsAsk) -> MethodResult<GetInsights> {
        let mut days = last_days(params.days, now_millis())?;
        let since = days.first().map_or(0, |day| day.from);
        let effect = params.effect.as_deref().map(effect_named).transpose()?;
        let agent = params.agent.clone();
        let (by_time, by_rule, by_effect, (by_agent, by_folder)) = self
            .read_record(move |conn| {
                let wanted = tally::Wanted { agent: agent.as_ref(), effect, since };
                let (times, rules) = (tally::by_time(conn, wanted)?, tally::by_rule(conn, wanted)?);
                let places = (tally::by_agent(conn, wanted)?, tally::by_folder(conn, wanted)?);
                Ok((times, rules, tally::by_effect(conn, wanted)?, places))
            })
            .await?;
        let mut total = Counts::default();
        let mut hours = vec![Counts::default(); 24];
        let zone = TimeZone::system();
        for found in by_time {
            add_count(&mut total, found.decided, found.count);
            if let Some(hour) = hour_of_day(found.key, &zone).and_then(|hour| hours.get_mut(hour)) {
                add_count(hour, found.decided, found.count);
            }
            let at = days.partition_point(|day| day.until <= found.key);
            if let Some(day) = days.get_mut(at) {
                add_count(&mut day.counts, found.decided, found.count);
            }
        }
        let rules = self.rule_counts(by_rule).await?;
        let effects = by_effect.into_iter().map(|(kind, count)| {
            let text = render::effect_kind_sentence(&kind);
            EffectCount { kind, text, count }
        });
        let agents = busiest(by_agent).map(|(agent, counts)| AgentCounts { agent, counts }).collect();
        let home = &self.parts.book.places().home;
        let folders = busiest(by_folder).take(FOLDERS).map(|(folder, counts)| {
            let text = visible_text(&from_home(&folder, home));
            FolderCounts { folder, text, counts }
        });
        let (folders, effects) = (folders.collect(), effects.collect());
        Ok(Insights { since, days, total, hours, agents, folders, rules, effects })
    }
}

impl HostControl {
    async fn rule_counts(&self, counts: Vec<tally::Count<i64>>) -> Result<Vec<RuleCount>, ControlError> {
        let mut found: Vec<RuleCount> = Vec::new();
        for tally::Count { key, decided, count } in counts {
            let at = found.iter().position(|rule| rule.id == key).unwrap_or_else(|| {
                found.push(RuleCount { id: key, rule: None, allowed: 0, denied: 0 });
                found.len() - 1
            });
            match decided {
                Decided::YouAllowed | Decided::RuleAllowed | Decided::SettingAllowed => {
                    found[at].allowed += count;
                }
                Decided::YouDenied | Decided::RuleDenied | Decided::SettingDenied | Decided::Unanswered => {
                    found[at].denied += count;
                }
            }
        }
        found.sort_by_key(|rule| std::cmp::Reverse(rule.allowed + rule.denied));
        found.truncate(RULES);
        let wanted: HashSet<i64> = found.iter().map(|rule| rule.id).collect();
        let listed = self.parts.book.rules_named(wanted).await?;
        for row in self.rule_rows(listed) {
            if let Some(rule) = found.iter_mut().find(|rule| rule.id == row.rule.id) {
                rule.rule = Some(row);
            }
        }
        Ok(found)
    }
}

/// Returns the counts of each agent or folder, the busiest first.
fn busiest<K: Ord>(found: Vec<tally::Count<K>>) -> impl Iterator<Item = (K, Counts)> {
    let mut by_key: BTreeMap<K, (u64, Counts)> = BTreeMap::new();
    for tally::Count { key, decided, count } in found {
        let (all, counts) = by_key.entry(key).or_default();
        *all += count;
        add_count(counts, decided, count);
    }
    let mut sums: Vec<_> = by_key.into_iter().collect();
    sums.sort_by_key(|(_, (all, _))| std::cmp::Reverse(*all));
    sums.into_iter().map(|(key, (_, counts))| (key, counts))
}

/// Returns the hour that a clock on the wall shows.
fn hour_of_day(at: Millis, zone: &TimeZone) -> Option<usize> {
    let at = Timestamp::from_millisecond(at).ok()?;
    usize::try_from(at.to_zoned(zone.clone()).hour()).ok()
}

fn add_count(counts: &mut Counts, decided: Decided, count: u64) {
    let field = match decided {
        Decided::YouAllowed => &mut counts.you_allowed,
        Decided::RuleAllowed => &mut counts.rule_allowed,
        Decided::SettingAllowed => &mut counts.setting_allowed,
        Decided::YouDenied => &mut counts.you_denied,
        Decided::RuleDenied => &mut counts.rule_denied,
        Decided::SettingDenied => &mut counts.setting_denied,
        Decided::Unanswered => &mut counts.unanswered,
    };
    *field += count;
}

/// Returns the last so many days of this machine's clock, today among them, oldest first.
fn last_days(count: u32, now: Millis) -> Result<Vec<DayCounts>, ControlError> {
    if !(1..=LONGEST).contains(&count) {
        return Err(ControlError::invalid(format!("days is between 1 and {LONGEST}")));
    }
    let zone = TimeZone::system();
    let today =
        Timestamp::from_millisecond(now).map_err(ControlError::internal)?.to_zoned(zone.clone()).date();
    let begins = |back: i64| -> Result<Millis, ControlError> {
        let date = today.checked_sub(back.days()).map_err(ControlError::internal)?;
        let begins = zone
            .to_ambiguous_zoned(date.to_datetime(Time::midnight()))
            .compatible()
            .map_err(ControlError::internal)?;
        Ok(begins.timestamp().as_millisecond())
    };
    let day = |back: i64| {
        Ok(DayCounts { from: begins(back)?, until: begins(back - 1)?, counts: Counts::default() })
    };
    (0..i64::from(count)).rev().map(day).collect()
}

impl Handle<SuggestRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: InsightsAsk) -> MethodResult<SuggestRules> {
        let since = last_days(params.days, now_millis())?.first().map_or(0, |day| day.from);
        let effect = params.effect.as_deref().map(effect_named).transpose()?;
        let among = Filter { agent: params.agent, since: Some(since), effect, ..Filter::default() };
        let questions = self.questions_among(among).await?;
        let asked = questions.iter().map(|command| command.asked).sum();
        let mut by_agent: BTreeMap<AgentId, Vec<(PastQuestion, Summary)>> = BTreeMap::new();
        for command in questions.into_iter().take(COMMANDS) {
            let offers = self.offers_now(&command.last).await?;
            let (times, denied) = (command.asked, command.was_denied);
            let of_agent = by_agent.entry(command.last.agent.clone()).or_default();
            of_agent.push((PastQuestion { times, denied, offers }, command.last));
        }
        let home = &self.parts.book.places().home;
        let mut suggestions: Vec<Suggestion> = by_agent
            .into_iter()
            .flat_map(|(agent, questions)| suggestions(&agent, &questions, home))
            .collect();
        suggestions.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.spares));
        suggestions.truncate(SUGGESTED);
        Ok(Suggestions { asked, suggestions })
    }
}

struct InsightCommand {
    /// The newest request of it.
    last: Summary,
    asked: u64,
    was_denied: bool,
}

impl HostControl {
    /// Returns the newest of these questions by command, those that were asked about most first.
    async fn questions_among(&self, among: Filter) -> Result<Vec<InsightCommand>, ControlError> {
        let mut by_command: HashMap<(AgentId, String), InsightCommand> = HashMap::new();
        for decided in Decided::ALL.into_iter().filter(|decided| decided.was_asked()) {
            let filter = Filter { decided: Some(decided), ..among.clone() };
            for summary in
                self.read_record(move |conn| history::list_newest(conn, &filter, QUESTIONS)).await?
            {
                let key = (summary.agent.clone(), summary.line.clone());
                let command = by_command.entry(key).or_insert_with(|| InsightCommand {
                    last: summary.clone(),
                    asked: 0,
                    was_denied: false,
                });
                command.asked += 1;
                command.was_denied |= decided == Decided::YouDenied;
                if summary.number > command.last.number {
                    command.last = summary;
                }
            }
        }
        let mut commands: Vec<InsightCommand> = by_command.into_values().collect();
        commands.sort_by_key(|command| (std::cmp::Reverse(command.asked), -command.last.number));
        Ok(commands)
    }

    /// Returns what *Always* would save for a command as it is now; nothing if it is not asked about any more, or is dangerous.
    async fn offers_now(&self, last: &Summary) -> Result<Vec<AlwaysOffer>, ControlError> {
        let row = self.request(&last.id.to_string()).await?;
        // What cannot be read any more, or looked up, is nothing to suggest.
        let Ok(Some(RequestJudgment::Judged(judged))) = self.judged_now(&row).await else {
            return Ok(Vec::new());
        };
        let asks = judged.verdict.decision == Decision::Ask;
        let harmless = judged.verdict.risk.level != RiskLevel::Dangerous;
        Ok(if asks && harmless { judged.offers } else { Vec::new() })
    }
}

/// Returns what could be allowed to one agent. Its own shell and the host are apart: an answer for one is none for the other.
fn suggestions(agent: &AgentId, questions: &[(PastQuestion, Summary)], home: &str) -> Vec<Suggestion> {
    let mut all = Vec::new();
    for origin in [Origin::Host, Origin::AgentShell, Origin::Tool] {
        let own: Vec<&(PastQuestion, Summary)> =
            questions.iter().filter(|(_, summary)| summary.origin == origin).collect();
        let asked: Vec<PastQuestion> = own.iter().map(|(asked, _)| asked.clone()).collect();
        all.extend(suggest(&asked, SUGGESTED).into_iter().map(|Suggested { offer, spares, answers }| {
            let examples =
                answers.iter().take(EXAMPLES).map(|at| without_secrets(&own[*at].1.line)).collect();
            Suggestion {
                agent: agent.clone(),
                offer: rule_offer(agent, origin, &offer, home),
                spares,
                examples,
            }
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{busiest, hour_of_day, last_days};
    use jiff::tz::{Offset, TimeZone};
    use postern_policy::AgentId;
    use postern_protocol::Decided;
    use postern_store::tally::Count;

    #[test]
    fn the_busiest_agent_comes_first_with_all_that_it_did() {
        let of = |agent: &str, decided, count| Count { key: AgentId::new(agent).unwrap(), decided, count };
        let found: Vec<_> = busiest(vec![
            of("calm", Decided::YouAllowed, 4),
            of("busy", Decided::YouAllowed, 2),
            of("busy", Decided::RuleAllowed, 3),
        ])
        .collect();
        let [(busy, much), (calm, little)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((busy.as_str(), much.rule_allowed, much.you_allowed), ("busy", 3, 2));
        assert_eq!((calm.as_str(), little.you_allowed), ("calm", 4));
    }

    #[test]
    fn an_hour_is_the_one_on_the_wall() {
        let east = TimeZone::fixed(Offset::from_hours(2).unwrap());
        assert_eq!(hour_of_day(30 * 60 * 1000, &TimeZone::UTC), Some(0));
        assert_eq!(hour_of_day(23 * 60 * 60 * 1000, &east), Some(1));
    }

    #[test]
    fn days_follow_each_other_and_end_with_today() {
        let now = 1_763_700_000_000;
        let days = last_days(30, now).unwrap();
        assert_eq!(days.len(), 30);
        assert!(days.windows(2).all(|pair| pair[0].until == pair[1].from), "no gap, no overlap");
        let today = days.last().unwrap();
        assert!((today.from..today.until).contains(&now), "the last one is today");
        assert!(last_days(0, now).is_err() && last_days(367, now).is_err());
    }
}
