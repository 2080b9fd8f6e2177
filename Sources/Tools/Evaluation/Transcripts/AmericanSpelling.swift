/// American spellings of British words.
///
/// The words are those that Whisper's published normalizer changes, without the markup that one of them has there.
enum AmericanSpelling {
  /// Returns the American spelling of a word in lower case; `nil` if it has no other.
  static func spelling(of word: String) -> String? { words[word] }

  /// The American spelling of each word.
  private static let words: [String: String] = {
    var words: [String: String] = [:]
    for rule in rules {
      for group in rule.words.split(separator: ";") {
        let parts = group.split(separator: ":")
        guard parts.count == 2 else { continue }
        let endings = parts[0].split(separator: ",").map { $0.filter { $0 != " " && $0 != "-" } }
        for stem in parts[1].split(separator: " ") {
          let stem = stem == "-" ? "" : stem
          for ending in endings {
            words["\(stem)\(rule.british)\(ending)"] = "\(stem)\(rule.american)\(ending)"
          }
        }
      }
    }
    for pair in others.split(separator: " ") {
      let parts = pair.split(separator: "=")
      if parts.count == 2 { words[String(parts[0])] = String(parts[1]) }
    }
    return words
  }()

  /// The words that differ in the letters after their stem.
  ///
  /// Groups are separated by semicolons. A group has the endings of its words, and after a colon their stems; `-` is none.
  private static let rules: [(british: String, american: String, words: String)] = [
    (
      "is", "iz",
      """
      e,ed,es,ing: accessor anglic antagon apolog author bapt bastard bowdler brutal canal cannibal canon capital \
      caramel carbon categor cauter central character circular civil collectiv commercial compartmental computer \
      conceptual contextual criminal critic custom demon deodor depersonal deput digit econom editorial empath emphas \
      energ epitom eulog evangel exorc factor fantas femin galvan ghetto glamor homogen human hybrid hypnot hypothes \
      idol immortal individual industrial initial intellectual italic item jeopard legitim local magnet memorial memor \
      mesmer metabol militar minim modern moral optim ostrac overemphas particular penal personal philosoph plagiar \
      propagand public radical random revital revolution rhapsod romantic sanit satir scandal scrutin sensational \
      sensit sentimental sermon signal sodom solemn summar symbol tempor tender terror theor traumat trivial tyrann \
      vandal verbal; ation,e,ed,es,ing: acclimat crystall decentral decriminal dehuman demilitar demobil democrat \
      demoral denational desensit destabil extempor familiar final formal fossil fratern global harmon hospital ideal \
      immun institutional internal international legal liberal lion marginal material maxim mechan miniatur mobil \
      monopol natural neutral normal oxid passiv pasteur pedestrian polar politic popular pressur priorit professional \
      pulver regular secular social standard stigmat synchron systemat union urban vapor victim vulgar western; ement: \
      aggrand; e,ed,es,ing,ingly: agon patron tantal; able,ation,ations,e,ed,es,ing: amort real; ed: annual motor \
      ritual transistor unauthor uncivil underutil unorgan vulcan; er,ers,ing,ingly: appet; ation,e,ed,er,ers,es,ing: \
      colon equal fertil immobil ion stabil subsid; ation,ed: disorgan; ation,ations,e,ed,es,ing: dramat external \
      fictional general national privat rational reorgan serial special visual vocal; e,ed,er,ers,es,ing: liquid \
      moistur proselyt sympath synthes woman; ation,ational,ations,e,ed,er,ers,es,ing: organ; \
      able,ably,ance,e,ed,es,ing: recogn; ation,ations,e,ed,er,ers,es,ing: steril; able,ed: unrecogn; \
      able,ation,e,ed,es,ing: util
      """
    ),
    (
      "ys", "yz",
      """
      e,ed,es,ing: anal catal paral psychoanal; e,ed,er,ers,es,ing: breathal
      """
    ),
    (
      "our", "or",
      """
      -,s: arb misdemean parl rig savi splend tricol tum vap watercol; -: ard cand clang demean disfav ferv misbehavi \
      ranc technicol val vig; -,ed,er,ers,ies,y: arm; -,al,ism,ist,ists,s: behavi; -,ed,ing,s: belab clam discol \
      endeav harb succ; -,ant,ants,ed,eds,ful,fully,ing,ize,ized,izes,izing,less,s: col; -,able,ably,ed,ing,s: dishon \
      hon; ed: enam multicol; -,able,ably,ed,ing,ite,ites,itism,s: fav; -,ed,ing,ings,less,s,some: flav; \
      -,ed,ing,less,s: hum; -,ed,er,ers,ing,s: lab; -,hood,hoods,ing,liness,ly,s: neighb; -,less,s: od; -,ed,s: rum; \
      -,ed,ies,ing,s,y: sav; able,ably: unfav; y: unsav
      """
    ),
    (
      "oul", "ol",
      """
      d,ded,der,dered,dering,ders,dier,diest,ding,dings,ds,dy,t,ted,ting,ts: m; d,ded,ding,ds: rem; \
      der,dered,dering,ders: sm
      """
    ),
    (
      "ll", "l",
      """
      ed,ing: backpeda bedevi cance caro cavi channe chise cudge dia disembowe drive due ename funne gambo grove \
      impane imperi initia labe marsha parce peda penci quarre rave refue remode riva shove shrive signa snive snorke \
      spira squirre stenci swive towe tria tunne unrave wease yode; ed: bejewe beve disheve grave tasse unequa unriva \
      untramme; iper,ipers,isthenics: ca; i: chi; or,ors: counci; ed,ing,or,ors: counse; er,est: crue; \
      et,eted,eting,ets: fi; ing,ingly: grue; ed,er,ers: jewe; ed,er,ers,ing: leve mode reve trave; ed,ing,ous: libe; \
      ed,ing,ous,ously: marve; ed,ing,ist,ists: pane; ity,ize,ized,izer,izers,izes,izing: tranqui; en,ens,ies,y: woo
      """
    ),
    (
      "ae", "e",
      """
      on,ons,sthete,sthetes,sthetic,sthetically,sthetics,tiology: -; \
      mia,mic,sthesia,sthetic,sthetics,sthetist,sthetists,sthetize,sthetized,sthetizes,sthetizing: an; \
      ologically,ologist,ologists,ology: arch; a,as: bougainvill; sarean,sareans: c; ra,ras: chim; dia,dias,dic: \
      encyclop; cal,ces: f; cological,cologist,cologists,cology: gyn; \
      matological,matologist,matologists,matology,moglobin,mophilia,mophiliac,mophiliacs,morrhage,morrhaged,morrhages,morrhaging,morrhoids: \
      h; mia: leuk tox; val: medi prim; dic,dics: orthop; \
      derast,derasts,diatric,diatrician,diatricians,diatrics,dophile,dophiles,dophilia: p; \
      olithic,ontologist,ontologists,ontology: pal; sidium,sidiums: pr
      """
    ),
    (
      "oe", "e",
      """
      a: diarrh gonorrh; ma: ed; tal,tid,tus,tuses: f; opath,opathic,opaths,opathy: hom; sophagus,sophaguses,strogen: \
      -; ia,ias: pharmacop
      """
    ),
    (
      "re", "er",
      """
      ments: accout; -,s: amphitheat calib centilit centimet epicent goit kilomet lit louv met micromet millilit \
      millimet mit reconnoit sab scept sepulch spect; -,fold,folds,piece,pieces,s: cent; -,glass,s: fib; -: lacklust \
      lust meag saltpet somb; -,goer,goers,s: theat
      """
    ),
    (
      "ogue", "og",
      """
      -,s: anal catal dial epil monol prol
      """
    ),
    (
      "ramme", "ram",
      """
      -,s: aerog centig g kilog millig prog
      """
    ),
    (
      "ence", "ense",
      """
      -,less,s: def; -,d,s: lic; -,s: off pret
      """
    ),
    (
      "gaol", "jail",
      """
      -,bird,birds,break,breaks,ed,er,ers,ing,s: -
      """
    ),
    (
      "sce", "ske",
      """
      ptic,ptical,ptically,pticism,ptics: -
      """
    ),
    (
      "ough", "ow",
      """
      -,ed,ing,man,men,s,share,shares: pl; -: snowpl
      """
    ),
    (
      "augh", "af",
      """
      t,tboard,tboards,tier,tiest,ts,tsman,tsmanship,tsmen,tswoman,tswomen,ty: dr
      """
    ),
    (
      "yph", "iph",
      """
      er,ers: c; on,oned,oning,ons: s
      """
    ),
    (
      "tyre", "tire",
      """
      -,s: -
      """
    ),
    (
      "grey", "gray",
      """
      -,ed,ing,ish,ness,s: -
      """
    ),
    (
      "ulph", "ulf",
      """
      ate,ates,ide,ides,ur,urous: s
      """
    ),
    (
      "oust", "ust",
      """
      ache,ached,aches,achioed: m
      """
    ),
  ]

  /// Other words, with their American spelling.
  private static let others =
    """
    aeroplane=airplane aeroplanes=airplanes ageing=aging almanack=almanac almanacks=almanacs aluminium=aluminum \
    anaesthetise=anesthetize anaesthetised=anesthetized anaesthetises=anesthetizes anaesthetising=anesthetizing \
    appal=appall appals=appalls archeological=archaeological artefact=artifact artefacts=artifacts axe=ax \
    bannister=banister bannisters=banisters battleax=battleaxe baulk=balk baulked=balked baulking=balking \
    baulks=balks behove=behoove behoved=behooved behoves=behooves bevvies=bevies bevvy=bevy biassed=biased \
    biassing=biasing bingeing=binging busses=buses bussing=busing cancelation=cancellation \
    cancelations=cancellations catalogued=cataloged cataloguing=cataloging centred=centered cheque=check \
    chequebook=checkbook chequebooks=checkbooks chequered=checkered cheques=checks clarinettist=clarinetist \
    clarinettists=clarinetists connexion=connection connexions=connections cosier=cozier cosies=cozies \
    cosiest=coziest cosily=cozily cosiness=coziness cosy=cozy crenelated=crenellated disc=disk discs=disks \
    distil=distill distils=distills enrol=enroll enrols=enrolls enthral=enthrall enthrals=enthralls \
    epaulette=epaulet epaulettes=epaulets flautist=flutist flautists=flutists fulfil=fulfill fulfilment=fulfillment \
    fulfils=fulfills gage=gauge gaged=gauged gages=gauges gaging=gauging gasses=gases gipsies=gypsies glamor=glamour \
    glueing=gluing groyne=groin groynes=groins gryphon=griffin gryphons=griffins inflexion=inflection \
    inflexions=inflections instal=install instalment=installment instalments=installments instals=installs \
    instil=instill instils=instills jewellery=jewelry judgement=judgment licencing=licensing likeable=likable \
    louvred=louvered manoeuvrability=maneuverability manoeuvrable=maneuverable manoeuvre=maneuver \
    manoeuvred=maneuvered manoeuvres=maneuvers manoeuvring=maneuvering manoeuvrings=maneuverings \
    minibusses=minibuses misspelt=misspelled omelette=omelet omelettes=omelets outmanoeuvre=outmaneuver \
    outmanoeuvred=outmaneuvered outmanoeuvres=outmaneuvers outmanoeuvring=outmaneuvering philtre=filter \
    philtres=filters phoney=phony pouffe=pouf pouffes=poufs practise=practice practised=practiced \
    practises=practices practising=practicing pummelled=pummel pummelling=pummeled pyjama=pajama pyjamas=pajamas \
    pzazz=pizzazz reconnoitred=reconnoitered reconnoitring=reconnoitering sheikh=sheik snowploughs=snowplow \
    storey=story storeys=stories tonne=ton tonnes=tons tranquillise=tranquilize tranquillised=tranquilized \
    tranquilliser=tranquilizer tranquillisers=tranquilizers tranquillises=tranquilizes tranquillising=tranquilizing \
    tranquilly=tranquility travelog=travelogue travelogs=travelogues videodisc=videodisk videodiscs=videodisks \
    waggon=wagon waggons=wagons worshipped=worshiped worshipper=worshiper worshipping=worshiping yoghourt=yogurt \
    yoghourts=yogurts yoghurt=yogurt yoghurts=yogurts mhm=hmm mmm=hmm
    """
}
