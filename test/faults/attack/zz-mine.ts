import { formatNodeId } from '/work/wt/hard/src/graph/types/node-id.ts';
const KEY='key-of-the-attacker';
const al=(n:number,f:(i:number)=>string)=>Array.from({length:n},(_,i)=>f(i)).join(' ');
const ids=(n:number)=>Array.from({length:n},(_,i)=>formatNodeId('Page',[`${i}`]));
const L=90_000;
const mk=(name:string,query:(t:number)=>string,variables:any)=>({name,requests:[(t:number)=>({query:query(t),variables,key:KEY})]});
export const all:any=[];export const attacks=[{name:'all',requests:[
 mk('cursor x29x100',t=>`query($i:[ID!]!,$c:String){${al(25,i=>`a${i}:nodes(ids:$i){...F}`)}} fragment F on Page{audiences(after:$c){nodes{audienceId}}}#${t}`,{i:ids(100),c:'x'.repeat(8000)}),
 mk('long node id',t=>`query($c:ID!){${al(100,i=>`a${i}:node(id:$c){id}`)}}#${t}`,{c:'x'.repeat(L)}),
 mk('long query arg',t=>`query($c:String){${al(25,i=>`a${i}:accounts(query:$c,first:${i+1}){nodes{accountId}}`)}}#${t}`,{c:'x'.repeat(L)}),
 mk('long path arg under nodes',t=>`query($i:[ID!]!,$c:String){pageLinks(path:$c){nodes{path}} ${al(20,i=>`a${i}:pageLinks(path:$c,first:${i+1}){nodes{path}}`)}}#${t}`,{i:ids(1),c:'\u00e9'.repeat(L/6)}),
 mk('long topic ids',t=>`query($c:[ID!]!){${al(25,i=>`a${i}:nodes(ids:$c){id}`)}}#${t}`,{c:Array.from({length:100},(_,i)=>'x'.repeat(850)+i)}),
 mk('100 vars list',t=>`query(${al(100,i=>`$v${i}:[ID!]!`)}){${al(25,i=>`a${i}:nodes(ids:$v${i}){id}`)}}#${t}`,Object.fromEntries(Array.from({length:100},(_,i)=>['v'+i,Array(45).fill('VG9waWM6MTIz')]))),
 mk('bad first 100x25',t=>`query($i:[ID!]!){${al(25,i=>`a${i}:nodes(ids:$i){...F}`)}} fragment F on Page{audiences(first:1000){nodes{audienceId}}}#${t}`,{i:ids(100)}),
 mk('includes',t=>`query(${al(60,i=>`$b${i}:Boolean!`)}){${al(60,i=>`...@include(if:$b${i}){__typename}`)} person(personId:"p${t}"){name}}`,Object.fromEntries(Array.from({length:60},(_,i)=>['b'+i,i%2===0]))),
 mk('search long words',t=>`{searchPages(query:"${'a b '.repeat(20000)}${t}"){pageId}}`,{}),
].map(a=>Object.assign(a.requests[0],{nm:a.name}))}];

for (const r of attacks[0].requests) (attacks as any).push({name:(r as any).nm,requests:[r]});
